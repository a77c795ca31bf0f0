;;; Faults: what is wrong with a map, and where.
;;
;; A place is a pair (LINE . COLUMN), both from 1, or #f. A fault travels as the exception `map-fault` with a place
;; and a sentence; everything else that a map can raise is turned into one by `sentence-of`.

(define-module (waymark fault)
  #:use-module ((system syntax internal) #:select (syntax? syntax-sourcev))
  #:export (set-source! source-lines text-before place-of source->place fault call-with-faults show show-value))

(define source-file #f)
(define source-lines #())

(define (set-source! file lines)
  (set! source-file file)
  (set! source-lines lines))

;; What stands on the line of a place before it; "" where the place is not known.
(define (text-before place)
  (if (and place (<= (car place) (vector-length source-lines)))
      (let ((line (vector-ref source-lines (- (car place) 1))))
        (substring line 0 (min (- (cdr place) 1) (string-length line))))
      ""))

;; Guile counts columns from 0 and lets a tab jump to the next multiple of 8; people and carets count characters.
(define (column-of line guile-column)
  (let ((text (if (< line (vector-length source-lines)) (vector-ref source-lines line) "")))
    (let loop ((index 0) (column 0))
      (if (or (>= column guile-column) (>= index (string-length text)))
          (+ index 1 (max 0 (- guile-column column)))
          (loop (+ index 1)
                (if (char=? (string-ref text index) #\tab)
                    (* 8 (+ 1 (quotient column 8)))
                    (+ column 1)))))))

(define (make-place file line column)
  (and line column (equal? file source-file)
       (cons (+ line 1) (column-of line column))))

;; The place that Guile's expander notes: an alist, a vector, or #f; a place stays one.
(define (source->place source)
  (cond ((and (pair? source) (integer? (car source))) source)
        ((vector? source)
         (make-place (vector-ref source 0) (vector-ref source 1) (vector-ref source 2)))
        ((pair? source)
         (make-place (assq-ref source 'filename) (assq-ref source 'line) (assq-ref source 'column)))
        (else #f)))

;; The place of a syntax object, of the first of a list of them, or of a place.
(define (place-of x)
  (cond ((syntax? x) (source->place (syntax-sourcev x)))
        ((and (pair? x) (integer? (car x))) x)
        ((pair? x) (or (place-of (car x)) (place-of (cdr x))))
        (else #f)))

(define (fault where . words)
  (throw 'map-fault (place-of where)
         (string-concatenate (map (lambda (word) (if (string? word) word (show word))) words))))

;; A name or a form as it is written, cut short.
(define (show value)
  (let* ((value (if (syntax? value) (syntax->datum value) value))
         (text (cond ((procedure? value)
                      (if (procedure-name value) (symbol->string (procedure-name value)) "a procedure"))
                     ((struct? value) (show-record value))
                     ((eq? value (if #f #f)) "nothing")
                     (else (object->string value)))))
    (if (> (string-length text) 60)
        (string-append (substring text 0 57) "...")
        text)))

(define (show-record value)
  (case (struct-vtable-name (struct-vtable value))
    ((<axis>) "an axis")
    ((<wrapper>) "a wrapper")
    ((<path>) "a path")
    (else "a record")))

;; A value as an expression for it would be written.
(define (show-value value)
  (if (or (symbol? value) (pair? value) (null? value))
      (string-append "'" (show value))
      (show value)))

(define (ordinary-sentence key args)
  (let* ((message (and (pair? args) (pair? (cdr args)) (string? (cadr args)) (cadr args)))
         (irritants (if (and message (pair? (cddr args)) (list? (caddr args))) (caddr args) '())))
    (cond ((not message) (string-append "the map raised '" (show key) "'" (if (pair? args) ": " "")
                                        (string-join (map show-value args) " ")))
          ((string-index message #\~)
           (catch #t
             (lambda () (apply simple-format #f message irritants))
             (lambda _ message)))
          (else message))))

;; Names of procedures come as strings or symbols.
(define (named who)
  (string-append "'" (show (if (string? who) (string->symbol who) who)) "'"))

;; "pair" out of "Wrong type argument in position 1 (expecting pair): ~S", where ~A stands for a word of `irritants`.
(define (expected-type message irritants)
  (let* ((start (string-contains message "(expecting "))
         (end (and start (string-index message #\) start)))
         (word (and end (substring message (+ start 11) end))))
    (cond ((not word) #f)
          ((string=? word "~A") (or-map (lambda (x) (and (string? x) x)) irritants))
          (else word))))

(define (size-text? value)
  (and (string? value) (string-suffix? "B" value) (char-numeric? (string-ref value 0))))

(define (axis? value)
  (and (struct? value) (eq? (struct-vtable-name (struct-vtable value)) '<axis>)))

;; What to write for a value that a procedure cannot take, or "".
(define (cure-of who value)
  (cond ((size-text? value) "; a size is written without quotes, as 64KiB")
        ((and (string? value) (member (show who) '("=" "\"=\""))) "; texts are compared by string=?")
        ((axis? value) "; 'nodes' and 'ranks' are numbers")
        (else "")))

(define (wrong-type-sentence who message irritants culprits)
  (let* ((value (if (pair? culprits) (car culprits) (if (pair? irritants) (car irritants) 'this)))
         (culprit (show-value value))
         (type (expected-type message irritants)))
    (cond ((string-prefix? "Wrong type to apply" message)
           (string-append culprit " is not a procedure and cannot be called"
                          (if (number? value) "; what is done stands first: (<= bytes 4KiB)" "")))
          (else
           (string-append (if who (string-append (named who) " cannot take ") "this cannot take ") culprit
                          (if type (string-append ": it needs a " type) "")
                          (cure-of who value))))))

(define (syntax-sentence args)
  (let ((who (list-ref args 0)) (message (list-ref args 1)) (form (list-ref args 3)) (part (list-ref args 4)))
    (cond ((string-prefix? "source expression failed" message)
           (string-append "'" (show (if (pair? form) (car form) form)) "' is not used like this: " (show form)))
          (else
           (string-append (if who (string-append "'" (show who) "': ") "") message
                          (cond (part (string-append ": " (show part)))
                                (form (string-append ": " (show form)))
                                (else "")))))))

;; Reader messages begin with "FILE:LINE:COLUMN: "; the place is told apart.
(define (reader-sentence args)
  (let ((text (ordinary-sentence 'read-error args)))
    (let loop ((from 0) (colons 0))
      (let ((at (string-index text #\: from)))
        (cond ((and at (string-index text #\space at) (= at (- (string-index text #\space at) 1)))
               (substring text (+ at 2)))
              ((and at (< colons 8)) (loop (+ at 1) (+ colons 1)))
              (else text))))))

;; One sentence for any exception.
(define (sentence-of key args)
  (catch #t
    (lambda ()
      (case key
        ((map-fault) (cadr args))
        ((wrong-type-arg)
         (if (= (length args) 4)
             (apply wrong-type-sentence args)
             (string-append "this cannot take " (string-join (map show-value args) " "))))
        ((syntax-error) (syntax-sentence args))
        ((read-error) (reader-sentence args))
        ((unbound-variable)
         (string-append "'" (show (car (caddr args))) "' is used before it is defined"))
        ((wrong-number-of-args)
         (if (pair? (caddr args))
             (string-append "wrong number of arguments to '" (show (car (caddr args))) "'")
             "wrong number of arguments to a procedure"))
        ((out-of-memory) "this takes too much memory (the limit is 128 MiB)")
        ((stack-overflow) "this calls itself too deeply, and takes too much memory (the limit is 128 MiB)")
        ((numerical-overflow) "division by zero or a number that is too large")
        ((out-of-range)
         (string-append (if (car args) (string-append (named (car args)) ": ") "")
                        (string-join (map show-value (list-ref args 3)) " ") " is out of range"))
        ((misc-error)
         (let ((words (caddr args)))
           (cond ((equal? (cadr args) "Unbound variable: ~S") "a name is used before it is defined")
                 ((and (string-prefix? "~A" (cadr args)) (pair? words) (string? (car words)))
                  (string-join (cons (car words) (map show (cdr words))) " "))
                 (else (ordinary-sentence key args)))))
        (else (ordinary-sentence key args))))
    (lambda _ (string-append "the map raised '" (symbol->string key) "'"))))

(define (place-in key args)
  (case key
    ((map-fault) (car args))
    ((syntax-error) (source->place (list-ref args 2)))
    (else #f)))

;; Call `thunk`. If it raises anything, return what `(handler PLACE KEY SENTENCE)` returns, PLACE being #f when the
;; exception does not know it.
(define (call-with-faults thunk handler)
  (catch #t
    thunk
    (lambda (key . args)
      (if (eq? key 'quit)
          (handler #f key "the map tried to end the server")
          (handler (place-in key args) key (sentence-of key args))))))
