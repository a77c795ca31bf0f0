;;; The map server's Scheme side: open a map, answer questions, ask shape procedures.
;;
;; C calls `start` once, then, when the process has closed its doors, `open-map` once and the others at will
;; (core/map/guile.c). Each returns JSON text: an answer, or {"error": {"line", "column", "text"}}.

(define-module (waymark)
  #:use-module (waymark fault)
  #:use-module (waymark json)
  #:use-module (waymark reader)
  #:use-module (waymark facts)
  #:use-module (waymark grid)
  #:use-module (waymark subranks)
  #:use-module (waymark habits)
  #:use-module (waymark language)
  #:use-module (waymark sandbox)
  #:use-module (waymark checker)
  #:use-module ((srfi srfi-1) #:select (append-map))
  #:use-module ((system vm vm) #:select (call-with-stack-overflow-handler))
  #:export (start open-map ask parents))

(define operations '())
(define wrappers '())
(define nearest #f)
(define enter-place! #f)

;; `names`: ((KIND NAME ...) ...) of the kinds below; `sample`: the facts of some call, as `ask` takes them; `nearest`: (WORD
;; WORDS) -> word or #f; `enter`: (LINE COLUMN), called at each rule that is entered.
(define (start names sample nearest-procedure enter)
  (set-facts! (map car sample) (assq-ref names 'varying-facts))
  (set! operations (assq-ref names 'operations))
  (set-local-sizes! (assq-ref names 'local-sizes))
  (set! wrappers (assq-ref names 'wrappers))
  (set-numbered-shapes! (assq-ref names 'numbered-shapes))
  (set! nearest nearest-procedure)
  (set! enter-place! enter)
  ;; Grow nothing and load nothing later: run the whole road once.
  (open-map "warm-up" "(define (f x) (map car x)) (path-map (on bcast ((< bytes 1KiB) (path (native)))))" 0)
  (ask sample #t)
  #t)

;; The rule or form that was entered last: exhaustion has no exact place and is blamed on it, so that the sentence
;; is the same each time.
(define entered #f)

(define (enter! line column)
  (set! entered (cons line column))
  (enter-place! line column))

(define (enter-form! form)
  (let ((place (place-of form)))
    (clear-mark!)
    (when place (enter! (car place) (cdr place)))))

(define (error->json place sentence)
  (json (vector (cons "error" (vector (cons "line" (if place (car place) 0))
                                      (cons "column" (if place (cdr place) 0))
                                      (cons "text" sentence))))))

;; How deep a map may call itself.
(define stack-words 4000000)

;; The JSON of what `thunk` returns, or of the error that it raises.
(define (reply thunk)
  (clear-mark!)
  (clear-question!)
  (set! entered #f)
  (call-with-faults
   (lambda ()
     (call-with-stack-overflow-handler stack-words (lambda () (json (thunk))) (lambda () (throw 'stack-overflow))))
   (lambda (place key sentence)
     (error->json (cond (place place)
                        ((memq key '(out-of-memory stack-overflow)) (or entered mark-place))
                        (else (or mark-place entered)))
                  sentence))))

(define standard-axes '(cluster node core socket numa process sibling all))

;; Standard axes and those that the grid declares.
(define (axes-of grid)
  (let ((reserved (language-names wrappers '())))
    (for-each (lambda (name)
                (when (memq name reserved)
                  (fault grid "'" name "' is a word of the map language and cannot name an axis")))
              (if grid (grid-axes grid) '()))
    (append standard-axes
            (filter (lambda (name) (not (memq name standard-axes))) (if grid (grid-axes grid) '())))))

(define (expand form module reserved)
  (enter-form! form)
  (note-top-form! form (head? form 'path-map))
  (let* ((tree (expand-form form module))
         (taken (or-map (lambda (entry) (and (memq (car entry) reserved) entry)) (defined-names tree))))
    (when taken
      (fault (or (cdr taken) form) "'" (car taken)
             "' is a word of the map language: choose another name for this definition"))
    tree))

(define (unknown-sentence name place called? defined axes)
  (define text (symbol->string name))
  (cond ((forbidden-sentence name)
         => (lambda (sentence) (string-append sentence ": '" text "' is not there")))
        (else
         (string-append
          (if called? "unknown wrapper or procedure '" "unknown name '") text "'"
          (or (habit text place)
              (nearest-known name
                             (let ((axis (cons "the axis " axes)) (wrapper (cons "the wrapper " wrappers))
                                   (rest (list (cons "" (language-names '() '())) (cons "" defined)
                                               (cons "" (if (> (string-length text) 3) standard-names '())))))
                               (if called? (cons* wrapper rest) (cons* axis wrapper rest)))
                             nearest))))))

;; What `look` finds in each tree, in one list.
(define (walk look forms trees)
  (append-map (lambda (form tree) (enter-form! form) (look tree)) forms trees))

(define (check-references forms trees module axes)
  (let* ((defined (map car (walk defined-names forms trees)))
         (unknown (filter (lambda (reference) (not (memq (car reference) defined)))
                          (walk (lambda (tree) (unknown-references tree module)) forms trees))))
    (unless (null? unknown)
      (let ((first (car (sort unknown (lambda (a b) (place<? (cadr a) (cadr b)))))))
        (fault (cadr first) (unknown-sentence (car first) (cadr first) (cddr first) defined axes))))))

;; Texts are not identical, even where they are equal: a rule that asks so never holds.
(define (check-identities forms trees)
  (let ((found (walk text-identities forms trees)))
    (unless (null? found)
      (fault (car found) "eq?, eqv?, memq, memv and case never hold of a text: use string=? or member"))))

(define (open-map file text first-procedure)
  (reply
   (lambda ()
     (reset-language! operations wrappers nearest enter! first-procedure)
     (let* ((forms (read-map file text enter-form!))
            (grid (find-grid forms))
            (subranks (subranks->json (find-subranks forms)))
            (axes (axes-of grid))
            (module (make-map-module wrappers axes))
            (reserved (language-names wrappers axes))
            (trees (map-in-order (lambda (form) (expand form module reserved)) forms)))
       (check-references forms trees module axes)
       (check-identities forms trees)
       (clear-mark!)
       (unless (map-written?)
         (fault (or (place-of forms) (cons 1 1))
                "no path-map in this file: a map is (path-map (on OPERATION (PREDICATE PATH) ...) ...)"))
       (number-places!)
       (for-each (lambda (form tree) (enter-form! form) (evaluate (mark-calls tree) module)) forms trees)
       (vector (cons "operations" (map symbol->string (map-operations)))
               (cons "native" (map symbol->string (native-operations)))
               (cons "grid" (if grid (grid->json grid) 'null))
               (cons "subranks" subranks))))))

;; `facts`: ((NAME . VALUE) ...), of each fact.
(define (ask facts explain?)
  (reply (lambda () (answer-question facts explain?))))

(define (parents procedure size)
  (reply (lambda () (vector (cons "parents" (ask-shape-procedure procedure size))))))
