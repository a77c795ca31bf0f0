;;; Expanding a map, finding the names that nobody defines, and noting places while it runs.

(define-module (waymark checker)
  #:use-module (language tree-il)
  #:use-module ((system base message) #:select (*current-warning-prefix*)) ; `case` loads it for texts among its data
  #:use-module (system syntax internal)
  #:use-module (waymark fault)
  #:export (expand-form defined-names unknown-references text-identities mark-calls evaluate mark-place clear-mark!))

;; The call that was begun last: what an exception without a place is blamed on.
(define mark-place #f)
(define (mark! place) (set! mark-place place))
(define (clear-mark!) (set! mark-place #f))

(define silence (%make-void-port "w"))

;; Guile's own warnings tell nobody where.
(define (in-module module thunk)
  (parameterize ((current-warning-port silence))
    (save-module-excursion (lambda () (set-current-module module) (thunk)))))

;; The place of the part of `x`, a syntax object, that reads as `datum`; #f when there is none.
(define (place-of-datum datum x)
  (let ((inner (if (syntax? x) (syntax-expression x) x)))
    (cond ((and (syntax? x) (pair? inner) (equal? (syntax->datum x) datum)) (place-of x))
          ((pair? inner) (or (place-of-datum datum (car inner)) (place-of-datum datum (cdr inner))))
          (else #f))))

;; Expand one top-level form; what it says about macros takes effect at once. The expander forgets the places of some
;; forms that it cannot take.
(define (expand-form form module)
  (catch 'syntax-error
    (lambda () (in-module module (lambda () (macroexpand form 'c '(compile load)))))
    (lambda (key who message where part . rest)
      (apply throw key who message
             (or (source->place where) (place-of-datum part form))
             part rest))))

(define (walk tree visit)
  (post-order (lambda (x) (visit x) x) tree))

;; Names that the expanded form defines: ((NAME . PLACE) …).
(define (defined-names tree)
  (let ((found '()))
    (walk tree (lambda (x)
                 (when (toplevel-define? x)
                   (set! found (acons (toplevel-define-name x) (source->place (tree-il-src x)) found)))))
    found))

;; References to names that `module` does not hold: ((NAME PLACE . CALLED?) …).
(define (unknown-references tree module)
  (let ((found '()) (operators '()))
    (walk tree
          (lambda (x)
            (cond ((and (call? x) (toplevel-ref? (call-proc x)))
                   (set! operators (cons (call-proc x) operators)))
                  ((and (toplevel-ref? x) (not (module-variable module (toplevel-ref-name x))))
                   (set! found (cons x found))))))
    (map (lambda (x)
           (cons* (toplevel-ref-name x) (source->place (tree-il-src x))
                  (and (or-map (lambda (y) (or (eq? x y) (eq? (tree-il-src x) (tree-il-src y)))) operators) #t)))
         (reverse found))))

;; Calls that compare with a text that is written out by identity: their places.
(define (text-identities tree)
  (define (text? x)
    (and (const? x)
         (let ((value (const-exp x)))
           (or (string? value) (and (list? value) (or-map string? value))))))
  (define (name-of x)
    (cond ((toplevel-ref? x) (toplevel-ref-name x))
          ((module-ref? x) (module-ref-name x))
          (else #f)))
  (let ((found '()))
    (walk tree (lambda (x)
                 (when (and (call? x)
                            (memq (name-of (call-proc x)) '(eq? eqv? memq memv))
                            (or-map text? (call-args x)))
                   (set! found (cons (source->place (tree-il-src x)) found)))))
    (reverse found)))

(define (simple? x)
  (or (const? x) (lexical-ref? x) (toplevel-ref? x) (module-ref? x) (primitive-ref? x) (lambda? x) (void? x)))

;; (f a b) -> (let ((t1 a) (t2 b)) (mark! PLACE) (f t1 t2)): the mark is set when the operands are known, so that it
;; still stands when f itself fails, and the call stays a tail call.
(define (marked-call x place)
  (let* ((src (tree-il-src x))
         (operands (call-args x))
         (temporaries (map (lambda (operand) (if (simple? operand) #f (gensym "t"))) operands))
         (body (make-seq src
                         (make-call src (make-const src mark!) (list (make-const src place)))
                         (make-call src (call-proc x)
                                    (map (lambda (operand t) (if t (make-lexical-ref src t t) operand))
                                         operands temporaries))))
         (bound (filter identity temporaries)))
    (if (null? bound)
        body
        (make-let src bound bound
                  (filter (lambda (operand) (not (simple? operand))) operands)
                  body))))

(define (mark-calls tree)
  (post-order (lambda (x)
                (let ((place (and (call? x) (source->place (tree-il-src x)))))
                  (if place (marked-call x place) x)))
              tree))

(define (evaluate tree module)
  (in-module module (lambda () (primitive-eval tree))))
