;;; The tables of docs/maps.md about Scheme, out of specs/waymark/sandbox.scm: `names` that are there, `refusals`.
(use-modules (waymark sandbox) (ice-9 format))

(define (ours name) (module-ref (resolve-module '(waymark sandbox)) name))

(define (words names)
  (string-join (map (lambda (name) (string-append "`" (symbol->string name) "`")) names) " "))

(define (names)
  (define capped (map car (ours 'capped-procedures)))
  (define comparisons (map cdr (ours 'comparison-names)))
  (format #t "| | |~%| --- | --- |~%")
  (for-each (lambda (kind names) (format #t "| ~a | ~a |~%" kind (words names)))
            '("forms" "lists" "lists (SRFI 1)" "numbers" "truth, symbols, strings, vectors, procedures"
              "with a limit")
            (list (ours 'syntax-names) (ours 'list-names) (ours 'srfi-1-names)
                  (append comparisons (ours 'number-names)) (ours 'other-names) capped)))

(define (refusals)
  (format #t "| what is said | of |~%| --- | --- |~%")
  (for-each (lambda (entry) (format #t "| ~a | ~a |~%" (car entry) (words (cdr entry))))
            (ours 'forbidden)))

(if (equal? (cadr (command-line)) "names") (names) (refusals))
