;;; Habits: what people write, by the custom of other languages, in the place of a word of this one, and what is meant.

(define-module (waymark habits)
  #:use-module (waymark fault)
  #:export (habit operation-meant))

(define words
  '(("&&" . "write (and A B)")
    ("!" . "write (not A)")
    ("==" . "write (= A B)")
    ("!=" . "write (not (= A B))")
    ("=<" . "write (<= A B)")
    ("//" . "a comment begins with ';'")
    ("true" . "write #t")
    ("false" . "write #f")))

(define units '("B" "KiB" "MiB" "GiB" "TiB" "kB" "KB" "MB" "GB"))

(define (typographic? char) (memv char '(#\‘ #\’ #\“ #\” #\„ #\«)))

;; What stands before a word that is to be quoted.
(define quoting '("(trace " "(remote " "#:shape " "#:order " "#:copy "))

;; "; " and what to write for the name `text` that nobody knows, at `place`; #f: no habit explains it.
(define (habit text place)
  (and=> (meant text (text-before place)) (lambda (sentence) (string-append "; " sentence))))

(define (meant text before)
  (cond ((assoc text words) => cdr)
        ((member text units) "a size is one word, such as 64KiB")
        ((string-index text typographic?) "its quotes are typographic: write ' or \"")
        ((and (string-prefix? ":" text) (> (string-length text) 1))
         (string-append "a keyword is written #" text))
        ((and (string-prefix? "-" text) (> (string-length text) 1) (char-numeric? (string-ref text 1)))
         (if (string-suffix? "s" text) "a time is not negative" "a size is not negative"))
        ((or-map (lambda (end) (string-suffix? end before)) quoting)
         (string-append "a quote is missing: '" text))
        (else #f)))

;; The operation, one of `names`, that a name such as MPI_Iallreduce means; #f: none.
(define (operation-meant text names)
  (define word
    (string-map (lambda (char) (if (char=? char #\_) #\- (char-downcase char)))
                (if (string-prefix-ci? "MPI_" text) (substring text 4) text)))
  (cond ((member word names) word)
        ((and (string-prefix? "i" word) (member (substring word 1) names)) (substring word 1))
        (else #f)))
