;;; The #:grid of a path-map, found and turned into data before anything is evaluated.

(define-module (waymark grid)
  #:use-module (system syntax internal)
  #:use-module (waymark fault)
  #:export (head? find-grid grid-axes grid->json))

(define (pieces x)
  (if (syntax? x) (syntax-expression x) x))

;; Is `x` written (NAME ...)?
(define (head? x name)
  (let ((x (pieces x)))
    (and (pair? x) (eq? (pieces (car x)) name))))

(define (declared-grid clauses)
  (let ((clauses (pieces clauses)))
    (cond ((not (pair? clauses)) #f)
          ((and (eq? (pieces (car clauses)) #:grid) (pair? (pieces (cdr clauses))))
           (car (pieces (cdr clauses))))
          (else (declared-grid (cdr clauses))))))

;; The value of #:grid in the path-map among `forms`, as a syntax object without its quote, or #f.
(define (find-grid forms)
  (or-map (lambda (form)
            (and (head? form 'path-map)
                 (let ((grid (declared-grid (cdr (pieces form)))))
                   (cond ((not grid) #f)
                         ((or (head? grid 'quote) (head? grid 'quasiquote)) (cadr (pieces grid)))
                         (else (fault grid "the grid is written out and quoted: #:grid '(node (core 4))"))))))
          forms))

(define axis-form "an axis is declared as NAME, (NAME COUNT), (NAME (RANK ...) ...) or (NAME (\"HOST\" ...) ...)")

(define (axis-name x)
  (let ((name (if (symbol? (pieces x)) x (and (pair? (pieces x)) (car (pieces x))))))
    (if (and name (symbol? (pieces name)))
        (pieces name)
        (fault x axis-form ", not " x))))

(define (grid-list grid)
  (let ((axes (pieces grid)))
    (if (and (list? axes) (pair? axes))
        axes
        (fault grid "the grid is a list of axes, outermost first: #:grid '(node (core 4))"))))

(define (grid-axes grid)
  (map axis-name (grid-list grid)))

(define (group member? groups)
  (map (lambda (x)
         (let ((members (pieces x)))
           (and (list? members) (pair? members) (and-map (lambda (y) (member? (pieces y))) members)
                (map pieces members))))
       groups))

;; Fault the first member that stands twice in the groups of an axis: nobody could say where it belongs.
(define (check-once name groups)
  (let ((seen (make-hash-table)))
    (for-each (lambda (x)
                (for-each (lambda (y)
                            (when (hash-ref seen (pieces y))
                              (fault y (object->string (pieces y)) " stands twice in the groups of axis '"
                                     (symbol->string name) "'"))
                            (hash-set! seen (pieces y) #t))
                          (pieces x)))
              groups)))

(define (rank? x) (and (exact-integer? x) (>= x 0) (< x 2147483648)))

(define (axis->json x)
  (let* ((name (axis-name x))
         (place (or (place-of x) '(0 . 0)))
         (parts (if (pair? (pieces x)) (cdr (pieces x)) '()))
         (start (list (cons "axis" (symbol->string name)) (cons "line" (car place)) (cons "column" (cdr place))))
         (with (lambda (key value) (list->vector (append start (list (cons key value)))))))
    (cond ((symbol? (pieces x)) (list->vector start))
          ((or (not (list? parts)) (null? parts)) (fault x axis-form))
          ((exact-integer? (pieces (car parts)))
           (if (and (null? (cdr parts)) (positive? (pieces (car parts))) (rank? (pieces (car parts))))
               (with "count" (pieces (car parts)))
               (fault x "the axis '" (symbol->string name) "' is declared by one positive count, as ("
                      (symbol->string name) " 4)")))
          ((and-map identity (group rank? parts))
           (check-once name parts)
           (with "ranks" (group rank? parts)))
          ((and-map identity (group string? parts))
           (check-once name parts)
           (with "hosts" (group string? parts)))
          (else (fault x axis-form)))))

(define (grid->json grid)
  (map axis->json (grid-list grid)))
