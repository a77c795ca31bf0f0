;;; (subranks COUNT #:KEYWORD VALUE ...) of a path-map, found and turned into data before anything is evaluated.

(define-module (waymark subranks)
  #:use-module ((srfi srfi-1) #:select (append-map filter))
  #:use-module (system syntax internal)
  #:use-module (waymark fault)
  #:use-module (waymark grid)
  #:export (subranks? find-subranks subranks->json))

(define (pieces x)
  (if (syntax? x) (syntax-expression x) x))

(define (subranks? clause) (head? clause 'subranks))

;; The clauses among `forms`, as syntax objects, those for a program before those for all.
(define (find-subranks forms)
  (let ((clauses (append-map (lambda (form)
                               (if (head? form 'path-map) (filter subranks? (or (written-list (cdr (pieces form))) '())) '()))
                             forms)))
    (define (of-program? clause) (and (keyword-value clause #:program) #t))
    (append (filter of-program? clauses) (filter (lambda (clause) (not (of-program? clause))) clauses))))

;; The members of a list that is written out, or #f.
(define (written-list x)
  (let ((x (pieces x)))
    (cond ((null? x) '())
          ((pair? x) (let ((rest (written-list (cdr x)))) (and rest (cons (car x) rest))))
          (else #f))))

(define clause-form "write (subranks 4 #:program \"jacobi\" #:stack 256KiB #:map 'block)")

;; What is written as '(…) or 'word, without its quote, or #f.
(define (quoted x)
  (and (head? x 'quote) (cadr (written-list x))))

(define (keyword-value clause keyword)
  (let loop ((rest (or (written-list clause) '())))
    (cond ((null? rest) #f)
          ((and (eq? (pieces (car rest)) keyword) (pair? (cdr rest))) (cadr rest))
          (else (loop (cdr rest))))))

(define (positive-integer x what)
  (let ((number (pieces x)))
    (if (and (exact-integer? number) (<= 1 number 2147483647))
        number
        (fault x what " cannot be " x "; write a number from 1"))))

;; One of `words`, quoted.
(define (word-of x name words)
  (let ((word (pieces (quoted x))))
    (if (memq word words)
        (symbol->string word)
        (fault x "'#:" name "' of subranks cannot be " (or (quoted x) x) "; write "
               (string-join (map (lambda (word) (string-append "'" (symbol->string word))) words) " or ")))))

(define (workers-of x count)
  (let ((workers (positive-integer x "the number of workers")))
    (unless (<= workers count)
      (fault x (number->string workers) " workers cannot share " (number->string count) " subranks; write #:workers "
             (number->string count) " or less"))
    workers))

(define (truth x name)
  (if (boolean? (pieces x))
      (pieces x)
      (fault x "'#:" name "' of subranks cannot be " x "; write #t or #f")))

(define (program-name x)
  (if (string? (pieces x))
      (pieces x)
      (fault x "a program cannot be " x "; write the name of its file in quotes")))

;; ((RANK ...) ...), a list for each process: `count` ranks in each, and each rank once.
(define (table x count)
  (let* ((processes (written-list (quoted x)))
         (ranks (map (lambda (process)
                       (let ((ranks (written-list process)))
                         (cond ((not ranks)
                                (fault process "the ranks of a process cannot be " process
                                       "; write a table of subranks as '((0 2) (1 3))"))
                               ((not (= (length ranks) count))
                                (fault process "a process has " (number->string count) " subranks, but here it has "
                                       (number->string (length ranks)) " ranks; list as many"))
                               (else ranks))))
                     processes)))
    (check-ranks (apply append ranks) (* count (length processes)))
    (map (lambda (process) (map pieces process)) ranks)))

;; Each of 0 ... total-1 once.
(define (check-ranks ranks total)
  (let ((seen (make-hash-table)))
    (for-each (lambda (x)
                (let ((rank (pieces x)))
                  (unless (and (exact-integer? rank) (<= 0 rank) (< rank total))
                    (fault x "this table has no rank " x "; its ranks are 0 to " (number->string (- total 1))))
                  (when (hashv-ref seen rank)
                    (fault x "rank " (number->string rank) " stands twice in the table; list each rank once"))
                  (hashv-set! seen rank #t)))
              ranks)))

(define (places-of x count)
  (if (pair? (or (written-list (quoted x)) '()))
      (table x count)
      (word-of x "map" '(block cyclic))))

;; What each keyword's value becomes: (NAME . JSON).
(define (setting keyword x count)
  (case keyword
    ((#:program) (cons "program" (program-name x)))
    ((#:stack) (cons "stack" (positive-integer x "the stack of subranks")))
    ((#:workers) (cons "workers" (workers-of x count)))
    ((#:steal) (cons "steal" (truth x "steal")))
    ((#:order) (cons "order" (word-of x "order" '(sibling))))
    ((#:private) (cons "private" (word-of x "private" '(copy))))
    ((#:map) (cons "map" (places-of x count)))
    (else #f)))

(define (settings parts count)
  (let loop ((parts parts) (done '()))
    (if (null? parts)
        (reverse done)
        (let* ((keyword (pieces (car parts)))
               (name (if (keyword? keyword) (symbol->string (keyword->symbol keyword)) (fault (car parts) "subranks have no " (car parts) " there; " clause-form))))
          (when (null? (cdr parts))
            (fault (car parts) "'#:" name "' of subranks has no value; write one after it"))
          (let ((found (setting keyword (cadr parts) count)))
            (unless found
              (fault (car parts) "unknown keyword '#:" name
                     "' of subranks; it knows #:program #:stack #:workers #:steal #:order #:private #:map"))
            (when (assoc (car found) done)
              (fault (car parts) "keyword '#:" name "' is given twice"))
            (loop (cddr parts) (cons found done)))))))

(define (clause->json clause)
  (let* ((parts (written-list clause))
         (place (or (place-of clause) '(0 . 0))))
    (when (or (not parts) (null? (cdr parts)))
      (fault clause "it is not said how many subranks; " clause-form))
    (let ((count (positive-integer (cadr parts) "the number of subranks in each process")))
      (list->vector (cons* (cons "count" count) (cons "line" (car place)) (cons "column" (cdr place))
                           (settings (cddr parts) count))))))

;; A program has one clause, and so have all others.
(define (check-once clauses jsons)
  (let loop ((clauses clauses) (jsons jsons) (seen '()))
    (unless (null? clauses)
      (let ((program (assoc-ref (vector->list (car jsons)) "program")))
        (when (member program seen)
          (fault (car clauses) "a second (subranks …) " (if program (string-append "for \"" program "\"") "for all programs")
                 "; keep one"))
        (loop (cdr clauses) (cdr jsons) (cons program seen))))))

(define (subranks->json clauses)
  (let ((jsons (map clause->json clauses)))
    (check-once clauses jsons)
    jsons))
