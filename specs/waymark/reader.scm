;;; Reading a map: places for every form and atom, byte literals, and which parenthesis is missing.

(define-module (waymark reader)
  #:use-module (system syntax internal)
  #:use-module (waymark fault)
  #:export (read-map))

(define units '(("TiB" . 40) ("GiB" . 30) ("MiB" . 20) ("KiB" . 10) ("B" . 0)))

;; The text of a symbol such as 500us or 10%, a time or a percentage, or #f.
(define (quantity symbol)
  (let* ((text (symbol->string symbol))
         (digits (string-skip text (lambda (char) (or (char-numeric? char) (char=? char #\.))))))
    (and digits
         (char-numeric? (string-ref text 0))
         (member (substring text digits) '("ns" "us" "ms" "s" "%"))
         text)))

;; Number of bytes that a symbol such as 2KiB or 1.5MiB means, or #f when it is no byte literal.
(define (byte-literal symbol where)
  (let* ((text (symbol->string symbol))
         (unit (and (char-numeric? (string-ref text 0))
                    (or-map (lambda (unit) (and (string-suffix? (car unit) text) unit)) units)))
         (digits (and unit (string-drop-right text (string-length (car unit)))))
         (number (and digits
                      (<= (string-length digits) 20)
                      (string-every (lambda (char) (or (char-numeric? char) (char=? char #\.))) digits)
                      (string->number (string-append "#e" digits)))))
    (and number
         (let ((bytes (* number (expt 2 (cdr unit)))))
           (if (integer? bytes)
               bytes
               (fault where "'" text "' is not a whole number of bytes"))))))

(define (rewrite x)
  (cond ((syntax? x)
         (let ((expression (syntax-expression x)))
           (cond ((and (symbol? expression) (not (eq? expression '||)))
                  (let ((value (or (byte-literal expression x) (quantity expression))))
                    (if value (remake x value) x)))
                 ((or (pair? expression) (vector? expression)) (remake x (rewrite expression)))
                 (else x))))
        ((pair? x) (cons (rewrite (car x)) (rewrite (cdr x))))
        ((vector? x) (list->vector (map rewrite (vector->list x))))
        (else x)))

(define (remake x expression)
  (make-syntax expression (syntax-wrap x) (syntax-module x) (syntax-sourcev x)))

;; Every character of `text` that stands outside strings, comments, |symbols| and characters: calls (visit CHAR LINE
;; COLUMN FIRST-OF-LINE?) until it returns true. Returns what it returned; (unclosed CHAR LINE COLUMN) when a string,
;; symbol or block comment has no end; else #f.
(define (scan text visit unclosed)
  (define end (string-length text))
  (define (at index) (if (< index end) (string-ref text index) #\nul))
  ;; The index behind a string or |symbol| that ends in `stop`, or a comment of some depth; #f when there is none.
  (define (string-end index stop)
    (cond ((>= index end) #f)
          ((char=? (at index) #\\) (string-end (+ index 2) stop))
          ((char=? (at index) stop) (+ index 1))
          (else (string-end (+ index 1) stop))))
  (define (comment-end index depth)
    (define (pair? a b) (and (char=? (at index) a) (char=? (at (+ index 1)) b)))
    (cond ((= depth 0) index)
          ((>= index end) #f)
          ((pair? #\| #\#) (comment-end (+ index 2) (- depth 1)))
          ((pair? #\# #\|) (comment-end (+ index 2) (+ depth 1)))
          (else (comment-end (+ index 1) depth))))
  (let loop ((index 0) (line 1) (start 0) (first? #t))
    (define (column) (+ 1 (- index start)))
    (define (skip-behind next)
      (if (not next)
          (unclosed (at index) line (column))
          (let count ((i index) (line line) (start start))
            (cond ((>= i (min next end)) (loop i line start #f))
                  ((char=? (at i) #\newline) (count (+ i 1) (+ line 1) (+ i 1)))
                  (else (count (+ i 1) line start))))))
    (if (>= index end)
        #f
        (let ((char (at index)))
          (cond ((char=? char #\newline) (loop (+ index 1) (+ line 1) (+ index 1) #t))
                ((char-whitespace? char) (loop (+ index 1) line start first?))
                ((char=? char #\;) (loop (or (string-index text #\newline index) end) line start #f))
                ((or (char=? char #\") (char=? char #\|)) (skip-behind (string-end (+ index 1) char)))
                ((and (char=? char #\#) (char=? (at (+ index 1)) #\|)) (skip-behind (comment-end (+ index 2) 1)))
                ((and (char=? char #\#) (char=? (at (+ index 1)) #\\)) (skip-behind (+ index 3)))
                ((visit char line (column) first?))
                (else (loop (+ index 1) line start #f)))))))

;; The parenthesis at fault as (PLACE . SENTENCE), or #f when they balance. A line that begins at or left of an
;; open parenthesis shows by its indentation that this one should have been closed above.
(define (parenthesis-fault text)
  (define open '()) ; of (CHAR . PLACE), innermost first
  (define suspect #f)
  (define (visit char line column first?)
    (when (and first? (not suspect) (pair? open) (<= column (cddar open))
               (not (memv char '(#\) #\]))))
      (set! suspect (car open)))
    (case char
      ((#\( #\[) (set! open (cons (cons char (cons line column)) open)) #f)
      ((#\) #\])
       (if (null? open)
           (cons (cons line column) (string-append "unexpected '" (string char) "': nothing is open here"))
           (let ((closes (if (char=? (caar open) #\() #\) #\])))
             (if (char=? closes char)
                 (begin (set! open (cdr open)) #f)
                 (cons (cons line column)
                       (string-append "unexpected '" (string char) "': the '" (string (caar open)) "' of line "
                                      (number->string (cadar open)) " is open and needs a '" (string closes) "'"))))))
      (else #f)))
  (define (unclosed char line column)
    (cons (cons line column)
          (string-append "the " (case char ((#\") "string") ((#\#) "comment") (else "symbol"))
                         " that begins here is never closed")))
  (or (scan text visit unclosed)
      (and (pair? open)
           (let ((culprit (or suspect (car open))))
             (cons (cdr culprit)
                   (string-append "missing '" (if (char=? (car culprit) #\() ")" "]")
                                  "': the '" (string (car culprit)) "' here is never closed"))))))

(define (explain-reader-error text port key sentence place)
  (let ((parenthesis (parenthesis-fault text)))
    (if parenthesis
        (fault (car parenthesis) (cdr parenthesis))
        (fault (or place (source->place (vector (port-filename port) (port-line port) (port-column port))))
               (if (string-prefix? "Unknown # object: \"# " sentence)
                   "nothing begins with '# '; a comment begins with ';'"
                   sentence)))))

;; Go to the next form, or a comment.
(define (skip-blanks port)
  (let ((char (peek-char port)))
    (when (and (char? char) (char-whitespace? char))
      (read-char port)
      (skip-blanks port))))

;; All forms of the map, as syntax objects; (enter PLACE) is called before each.
(define (read-map file text enter)
  (let ((port (open-input-string text)))
    (set-source! file (list->vector (string-split text #\newline)))
    (set-port-filename! port file)
    (let loop ((forms '()))
      (skip-blanks port)
      (enter (source->place (vector file (port-line port) (port-column port))))
      (let ((form (call-with-faults (lambda () (read-syntax port))
                                    (lambda (place key sentence)
                                      (explain-reader-error text port key sentence place)))))
        (if (eof-object? form)
            (reverse forms)
            (loop (cons (rewrite form) forms)))))))
