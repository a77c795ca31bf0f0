;;; JSON out: #t #f numbers strings, `null` the symbol, lists as arrays, vectors of (NAME . VALUE) as objects.

(define-module (waymark json)
  #:export (json))

(define (escape char)
  (let ((code (char->integer char)))
    (cond ((char=? char #\") "\\\"")
          ((char=? char #\\) "\\\\")
          ((= code 0) "\\ufffd")
          ((< code 32) (string-append "\\u" (string-pad (number->string code 16) 4 #\0)))
          (else (string char)))))

(define plain (char-set-complement (char-set-union (ucs-range->char-set 0 32) (char-set #\" #\\))))

;; The pieces of the text are consed in front of `tail`, so that all is copied once.
(define (quoted text tail)
  (cons* "\""
         (if (string-every plain text)
             text
             (string-concatenate (map escape (string->list text))))
         "\"" tail))

(define (list-pieces items tail item-pieces)
  (if (null? items)
      tail
      (let loop ((items items))
        (item-pieces (car items)
                     (if (null? (cdr items)) tail (cons "," (loop (cdr items))))))))

(define (member-pieces pair tail)
  (quoted (car pair) (cons ":" (pieces (cdr pair) tail))))

(define (number-text value)
  (if (and (exact? value) (integer? value))
      (number->string value)
      (let ((text (number->string (exact->inexact value))))
        (cond ((string-prefix? "." text) (string-append "0" text))
              ((string-prefix? "-." text) (string-append "-0" (substring text 1)))
              (else text)))))

(define (pieces value tail)
  (cond ((string? value) (quoted value tail))
        ((and (real? value) (finite? value)) (cons (number-text value) tail))
        ((eq? value #t) (cons "true" tail))
        ((eq? value #f) (cons "false" tail))
        ((eq? value 'null) (cons "null" tail))
        ((vector? value)
         (cons "{" (list-pieces (vector->list value) (cons "}" tail) member-pieces)))
        ((list? value) (cons "[" (list-pieces value (cons "]" tail) pieces)))
        (else (scm-error 'misc-error "json" "no JSON for ~S" (list value) #f))))

(define (json value)
  (string-concatenate (pieces value '())))
