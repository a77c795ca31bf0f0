;;; The words of a map: path-map and on, path, wrappers, axes and shapes.

(define-module (waymark language)
  #:use-module ((srfi srfi-1) #:select (last filter-map remove))
  #:use-module (srfi srfi-9)
  #:use-module (waymark fault)
  #:use-module (waymark habits)
  #:use-module (waymark facts)
  #:use-module (waymark source)
  #:use-module ((waymark subranks) #:select (subranks?))
  #:export (reset-language! note-top-form! map-written? map-operations native-operations wrapper-transformer make-axis nearest-of
            number-places! place<? answer-question ask-shape-procedure
            set-numbered-shapes! numbered-shapes numbered-shape
            path-map on path tree))

;; What C told at the start, and what this map said.
(define operations '())      ; every operation's name, as symbols
(define words '())           ; names of wrappers, as strings
(define nearest #f)          ; (nearest WORD WORDS) -> the nearest word, or #f
(define enter-rule! #f)      ; (enter-rule! LINE COLUMN): what the server quotes when the time is over
(define rules '())           ; ((OPERATION . RULES) ...), as path-map leaves them
(define map-place #f)        ; of the first path-map
(define faults? #f)          ; #:faults #t was there: wrappers may break the job on purpose
(define top-place #f)        ; of the form of the file that is expanded, if it is written (path-map ...)
(define heads '())           ; (((OPERATION . LABEL) . PLACE) ...) of each `on`
(define places '())          ; of each wrapper written
(define node-numbers #f)     ; place -> number

(define (reset-language! operation-names wrapper-names nearest-procedure enter-procedure first-procedure)
  (set! operations operation-names)
  (set! words (map symbol->string wrapper-names))
  (set! nearest nearest-procedure)
  (set! enter-rule! enter-procedure)
  (set! next-procedure first-procedure)
  (set! rules '())
  (set! map-place #f)
  (set! faults? #f)
  (set! heads '())
  (set! places '()))

(define (note-top-form! form path-map?) (set! top-place (and path-map? (place-of form))))
(define (map-written?) (and map-place #t))
(define (map-operations) (map car rules))

;; " did you mean …" for the word of `candidates` (strings) that is nearest, or "".
(define (nearest-of word candidates)
  (let ((found (and (> (string-length word) 1) (nearest word candidates))))
    (if found (string-append "; did you mean '" found "'?") "")))

(define (enter-place! place)
  (when place (enter-rule! (car place) (cdr place))))

;;; Axes and wrappers

(define-record-type <axis> (make-axis name) axis? (name axis-name))

;; arguments and keywords: (VALUE . PLACE) and (NAME VALUE PLACE . VALUE-PLACE), in the order written.
(define-record-type <wrapper>
  (make-wrapper name place arguments keywords)
  wrapper?
  (name wrapper-name) (place wrapper-place) (arguments wrapper-arguments) (keywords wrapper-keywords))

(define-record-type <path> (make-path wrappers) path? (wrappers path-wrappers))

(define (note-place! x)
  (let ((place (or (place-of x) '(0 . 0))))
    (set! places (cons place places))
    place))

(define (place<? a b)
  (and a b
       (or (< (car a) (car b)) (and (= (car a) (car b)) (< (cdr a) (cdr b))))))

;; Once the whole map is expanded: number the places where wrappers are written.
(define (number-places!)
  (set! node-numbers (make-hash-table))
  (let loop ((sorted (sort places place<?)) (number 1))
    (unless (null? sorted)
      (if (hash-ref node-numbers (car sorted))
          (loop (cdr sorted) number)
          (begin (hash-set! node-numbers (car sorted) number)
                 (loop (cdr sorted) (+ number 1)))))))

(define (build-wrapper name place values value-places)
  (let loop ((values values) (at value-places) (arguments '()) (keywords '()))
    (define (next-places) (if (pair? at) (cdr at) '()))
    (define place-here (or (and (pair? at) (car at)) place))
    (cond ((null? values) (make-wrapper name place (reverse arguments) (reverse keywords)))
          ((not (keyword? (car values)))
           (loop (cdr values) (next-places) (cons (cons (car values) place-here) arguments) keywords))
          (else
           (let ((word (symbol->string (keyword->symbol (car values)))))
             (when (or (null? (cdr values)) (keyword? (cadr values)))
               (fault place-here "keyword '#:" word "' of '" (symbol->string name) "' needs a value after it"))
             (when (assoc word keywords)
               (fault place-here "keyword '#:" word "' is given twice"))
             (loop (cddr values)
                   (if (pair? (next-places)) (cdr (next-places)) '())
                   arguments
                   (cons (cons* word (cadr values) place-here
                                (or (and (pair? (next-places)) (car (next-places))) place-here))
                         keywords)))))))

;; The macro that a wrapper's name is bound to: it notes its place, and also stands for a procedure.
(define (wrapper-transformer name)
  (lambda (x)
    (syntax-case x ()
      ((_ argument ...)
       #`(build-wrapper '#,(datum->syntax #'path name) '#,(datum->syntax #'path (note-place! x))
                        (list argument ...)
                        '#,(datum->syntax #'path (map place-of #'(argument ...)))))
      (id
       (identifier? #'id)
       #`(lambda arguments
           (build-wrapper '#,(datum->syntax #'path name) '#,(datum->syntax #'path (note-place! x))
                          arguments '()))))))

;;; Paths

(define (wrappers-of element place)
  (cond ((wrapper? element) (list element))
        ((path? element) (path-wrappers element))
        ((list? element)
         (apply append (map (lambda (inner) (wrappers-of inner place)) element)))
        (else (fault place "a path is made of wrappers, not of " (describe element)))))

(define (describe value)
  (cond ((axis? value) (string-append "the axis '" (symbol->string (axis-name value)) "'"))
        ((symbol? value) (string-append "the symbol '" (symbol->string value) "'"))
        ((wrapper? value) (string-append "the wrapper '" (symbol->string (wrapper-name value)) "'"))
        ((path? value) "a path")
        ((procedure? value) "a procedure")
        (else (show-value value))))

(define (build-path place elements element-places)
  (let loop ((elements elements) (at element-places) (wrappers '()))
    (if (null? elements)
        (if (null? wrappers)
            (fault place "a path needs at least one wrapper: (native) leaves the call to the MPI library")
            (make-path wrappers))
        (loop (cdr elements)
              (if (pair? at) (cdr at) '())
              (append wrappers (wrappers-of (car elements) (or (and (pair? at) (car at)) place)))))))

(define-syntax path
  (lambda (x)
    (let ((place (datum->syntax #'build-path (place-of x))))
      (syntax-case x ()
        ((_ element ...)
         #`(build-path '#,place (list element ...)
                       '#,(datum->syntax #'build-path (map place-of #'(element ...)))))
        (id (identifier? #'id) #`(lambda elements (build-path '#,place elements '())))))))

;;; Shapes written as expressions rather than quoted

;; Those that take a number (core/path/shape.h), as symbols; and the procedure that each name is bound to: (bruck 4).
(define numbered-shapes '())
(define (set-numbered-shapes! names) (set! numbered-shapes names))

(define (numbered-shape name)
  (let ((shape (lambda (number) (list name number))))
    (set-procedure-property! shape 'name name)
    shape))

(define-syntax tree
  (lambda (x)
    (syntax-case x ()
      ((_ part ...) #''(tree part ...))
      (_ (fault x "a tree is written out: (tree 0 (1 (3)) (2))")))))

;;; path-map and on

(define-record-type <rule>
  (make-rule place predicate-place path-place predicate path)
  rule?
  (place rule-place) (predicate-place rule-predicate-place) (path-place rule-path-place)
  (predicate rule-predicate) (path rule-path))

(define rule-form "a rule is (PREDICATE PATH) or (else PATH)")

(define (rule-syntax rule last?)
  (define (place x) (datum->syntax #'path (place-of x)))
  (syntax-case rule ()
    ((predicate path)
     (eq? (syntax->datum #'predicate) 'else)
     (if last?
         #`(make-rule '#,(place rule) #f '#,(place #'path) (lambda () #t) (lambda () path))
         (fault rule "'else' must be the last rule: those after it would never be looked at")))
    ((predicate path)
     #`(make-rule '#,(place rule) '#,(place #'predicate) '#,(place #'path)
                  (lambda () predicate) (lambda () path)))
    ((part ...)
     (fault rule rule-form ": this one has " (number->string (length #'(part ...)))
            (if (= 1 (length #'(part ...))) " part" " parts")))
    (_ (fault rule rule-form ", not " rule))))

(define (rules-syntax rules)
  (let loop ((rules rules) (done '()))
    (if (null? rules)
        (reverse done)
        (loop (cdr rules) (cons (rule-syntax (car rules) (null? (cdr rules))) done)))))

;; (path …), (native) or another wrapper, alone in an `on`: the path of every call.
(define (lone-path? x)
  (syntax-case x ()
    ((head . _)
     (identifier? #'head)
     (or (free-identifier=? #'head #'path)
         (and (member (symbol->string (syntax->datum #'head)) words) #t)))
    (_ #f)))

(define (unknown-operation place text names)
  (let ((meant (operation-meant text names)))
    (fault place "unknown operation '" text "'"
           (if meant (string-append "; did you mean '" meant "'?") (nearest-of text names)))))

;; `label`: the name that the rules are for, as (on (statement "halo") …) gives it, or #f.
(define (check-operation name label)
  (let ((symbol (syntax->datum name)))
    (cond ((not (identifier? name)) (fault name "'on' needs the name of an operation, not " name))
          ((memq symbol operations) #t)
          (else (unknown-operation name (symbol->string symbol) (map symbol->string operations))))
    (let ((first (assoc (cons symbol label) heads)))
      (when first
        (fault name "'" (symbol->string symbol) "' has a second 'on'" (if label (string-append " for \"" label "\"") "")
               ": the first is on line " (number->string (cadr first))))
      (set! heads (acons (cons symbol label) (or (place-of name) '(0 . 0)) heads)))))

;; The fact that has the name of what an operation is called by.
(define label-facts '((statement . statement) (messages . protocol) (conveyor . communicator)))

(define (check-labels operation labels)
  (unless (assq (syntax->datum operation) label-facts)
    (fault operation "only statements, messages and conveyors have rules by name; use 'communicator' in a rule"))
  (for-each (lambda (label)
              (unless (string? (syntax->datum label))
                (fault label "a name is a string; write it as (on (statement \"halo\") …)"))
              (check-operation operation (syntax->datum label)))
            labels))

;; What an `on` is for, as (OPERATIONS PLACE . LABELS): bcast, (bcast reduce), (statement "halo" "ring").
(define (head-syntax head)
  (define place (datum->syntax #'path (place-of head)))
  (syntax-case head ()
    ((operation label ...)
     (or-map (lambda (label) (not (identifier? label))) #'(label ...))
     (begin
       (check-labels #'operation #'(label ...))
       #`((operation) #,place label ...)))
    ((name ...)
     (begin
       (for-each (lambda (name) (check-operation name #f)) #'(name ...))
       #`((name ...) #,place)))
    (name
     (begin
       (check-operation #'name #f)
       #`((name) #,place)))))

(define (on-syntax clause)
  (syntax-case clause ()
    ((on names rule ...)
     (eq? (syntax->datum #'on) 'on)
     (let* ((rules #'(rule ...))
            (head (head-syntax #'names)))
       (when (null? rules)
         (fault clause "'on' needs a path or rules: " rule-form))
       #`(cons '#,head
               (list #,@(if (and (null? (cdr rules)) (lone-path? (car rules)))
                            (let ((place (datum->syntax #'path (place-of (car rules)))))
                              (list #`(make-rule '#,place #f '#,place (lambda () #t) (lambda () #,(car rules)))))
                            (rules-syntax rules))))))
    (_ (fault clause "path-map holds (on OPERATION rule ...), not " clause))))

(define (set-faults! value)
  (unless (boolean? (syntax->datum value))
    (fault value "'#:faults' cannot be " value "; write #:faults #t where the map may break the job on purpose"))
  (set! faults? (syntax->datum value)))

(define (clauses-syntax clauses known) ; known: the keywords that were there
  (syntax-case clauses ()
    (() '())
    ((key . rest)
     (keyword? (syntax->datum #'key))
     (let ((word (symbol->string (keyword->symbol (syntax->datum #'key)))))
       (unless (member word '("grid" "faults"))
         (fault #'key "unknown keyword '#:" word "' of path-map; it knows '#:grid' and '#:faults'"))
       (when (member word known)
         (fault #'key "keyword '#:" word "' is given twice"))
       (syntax-case #'rest ()
         ((value . clauses)
          (begin
            (when (equal? word "faults") (set-faults! #'value))
            (clauses-syntax #'clauses (cons word known))))
         (_ (fault #'key "keyword '#:" word "' needs a value after it")))))
    ((clause . rest) (subranks? #'clause) (clauses-syntax #'rest known))
    ((clause . rest) (let ((first (on-syntax #'clause))) (cons first (clauses-syntax #'rest known))))
    (_ (fault clauses "path-map holds (on OPERATION rule ...)"))))

(define-syntax path-map
  (lambda (x)
    (syntax-case x ()
      ((_ . clauses)
       (begin
         (unless (equal? (place-of x) top-place)
           (fault x "a path-map stands by itself at the top of the file, not inside another form or a macro"))
         (when map-place
           (fault x "a second path-map: a map has one, and it is on line " (number->string (car map-place))))
         (set! map-place (or (place-of x) '(0 . 0)))
         #`(install-rules! (list #,@(clauses-syntax #'clauses '())))))
      (_ (fault x "path-map stands in parentheses: (path-map (on OPERATION rule ...) ...)")))))

(define-syntax on
  (lambda (x) (fault x "'on' stands directly inside path-map")))

;; The rules of a name come before those for all.
(define (install-rules! clauses)
  (define (labelled? clause) (pair? (cddar clause)))
  (set! rules '())
  (for-each (lambda (clause) (for-each (lambda (operation) (install! operation clause)) (caar clause)))
            (append (filter labelled? clauses) (remove labelled? clauses))))

(define (install! operation clause)
  (let* ((labels (cddar clause))
         (own (if (null? labels)
                  (cdr clause)
                  (map (lambda (rule) (labelled rule operation (cadar clause) labels)) (cdr clause)))))
    (set! rules (assq-set! rules operation (append (or (assq-ref rules operation) '()) own)))))

;; The rule for what is called by one of `labels` alone; `place`: where the map says so.
(define (labelled rule operation place labels)
  (let ((name (assq-ref label-facts operation)) (holds? (rule-predicate rule)))
    (make-rule (rule-place rule) (or (rule-predicate-place rule) place) (rule-path-place rule)
               (lambda () (and (member (fact name place) labels) (holds?)))
               (rule-path rule))))

;;; Answers

(define next-procedure 0)
(define procedures (make-hash-table)) ; number -> #(procedure facts place), the last `procedures-kept`
(define procedures-kept 1024)

(define (keep-procedure! procedure facts place)
  (let ((number next-procedure))
    (set! next-procedure (+ number 1))
    (hashv-set! procedures number (vector procedure facts place))
    (hashv-remove! procedures (- number procedures-kept))
    number))

;; (0 (1 (3)) 2) -> [0, [1, [3]], [2]]
(define (tree->json parts)
  (cons (car parts) (map (lambda (child) (if (list? child) (tree->json child) (list child))) (cdr parts))))

(define largest-member 2147483647)

(define (members-in-bounds? parts)
  (and-map (lambda (part) (if (list? part) (members-in-bounds? part) (<= 0 part largest-member))) parts))

;; The client's reader of JSON takes so many levels, and a few for the answer around them.
(define levels-most 2000)

(define (nested-within? value levels)
  (or (not (list? value))
      (and (> levels 0)
           (and-map (lambda (inner) (nested-within? inner (- levels 1))) value))))

(define (tree? parts)
  (and (pair? parts) (list? parts) (exact-integer? (car parts))
       (and-map (lambda (child) (or (exact-integer? child) (tree? child))) (cdr parts))))

(define largest (- (expt 2 63) 1))

(define (value->json value facts place)
  (cond ((boolean? value) value)
        ((string? value) value)
        ((and (number? value) (real? value) (< (abs value) largest)) value)
        ((number? value) (fault place "the number " value " is too large or not a real one"))
        ((symbol? value) (vector (cons "symbol" (symbol->string value))))
        ((axis? value) (vector (cons "axis" (symbol->string (axis-name value)))))
        ((procedure? value) (vector (cons "procedure" (keep-procedure! value facts place))))
        ((and (pair? value) (eq? (car value) 'tree))
         (unless (tree? (cdr value))
           (fault place "a tree is written as numbers, a member and then its children: (tree 0 (1 (3)) (2))"))
         (unless (members-in-bounds? (cdr value))
           (fault place "a tree names each member from 0 up once, such as (tree 0 (1 (3)) (2))"))
         (vector (cons "tree" (tree->json (cdr value)))))
        ((list? value) (map (lambda (inner) (value->json inner facts place)) value))
        (else (fault place "a wrapper cannot take " (describe value) " as an argument"))))

(define (argument->json value facts place)
  (unless (nested-within? value levels-most)
    (fault place "this is nested too deeply: a list may have " (number->string levels-most) " levels"))
  (value->json value facts place))

(define (place->json place) (list (car place) (cdr place)))

(define (wrapper->json wrapper facts)
  (let ((arguments (wrapper-arguments wrapper)) (keywords (wrapper-keywords wrapper))
        (place (wrapper-place wrapper)))
    (vector (cons "wrapper" (symbol->string (wrapper-name wrapper)))
            (cons "node" (hash-ref node-numbers place 0))
            (cons "line" (car place))
            (cons "column" (cdr place))
            (cons "arguments" (map (lambda (x) (argument->json (car x) facts (cdr x))) arguments))
            (cons "keywords"
                  (list->vector
                   (map (lambda (x) (cons (car x) (argument->json (cadr x) facts (cdddr x)))) keywords)))
            (cons "places"
                  (list->vector
                   (append
                    (map (lambda (x number) (cons (number->string number) (place->json (cdr x))))
                         arguments (iota (length arguments)))
                    (map (lambda (x) (cons (car x) (append (place->json (caddr x)) (place->json (cdddr x)))))
                         keywords)))))))

;; Does the rule's predicate hold?
(define (rule-holds? rule)
  (enter-place! (or (rule-predicate-place rule) (rule-place rule)))
  (and ((rule-predicate rule)) #t))

;; The rules of an operation up to the first that holds, as ((RULE HOLDS? . NOTES) ...), that one first; those before it
;; follow, the latest first.
(define (try-rules rules)
  (let loop ((rest rules) (tried '()))
    (if (or (null? rest) (and (pair? tried) (cadar tried)))
        tried
        (let ((holds? (rule-holds? (car rest))))
          (loop (cdr rest) (cons (cons* (car rest) holds? (take-notes!)) tried))))))

;;; Explanations: which rules were tried, and what they looked at

(define (notes->json notes)
  (list->vector (map (lambda (note)
                       (cons (symbol->string (car note)) (if (symbol? (cdr note)) (symbol->string (cdr note)) (cdr note))))
                     notes)))

;; A predicate as it is written; "else"; null for a path that stands alone.
(define (predicate-text rule)
  (cond ((rule-predicate-place rule) => source-text)
        ((equal? (rule-place rule) (rule-path-place rule)) 'null)
        (else "else")))

(define (tried->json entry)
  (let ((place (or (rule-predicate-place (car entry)) (rule-place (car entry)) '(0 . 0))))
    (vector (cons "line" (car place))
            (cons "column" (cdr place))
            (cons "text" (predicate-text (car entry)))
            (cons "holds" (cadr entry))
            (cons "facts" (notes->json (cddr entry))))))

;; Of the operation's first `on`, or #f.
(define (head-place operation)
  (let ((places (filter-map (lambda (head) (and (eq? (caar head) operation) (cdr head))) heads)))
    (and (pair? places) (car (sort places place<?)))))

;; What core/map/explain.h puts into words. `path-notes`: what the path of the rule that holds looked at.
(define (explanation tried untried path-notes)
  (let ((head (head-place (question-operation))))
    (cons "explanation"
          (vector (cons "line" (if head (car head) 'null))
                  (cons "rules" (map tried->json (reverse tried)))
                  (cons "untried" untried)
                  (cons "facts" (notes->json path-notes))))))

;; No call is as large as `largest`: an end there is none.
(define (range->json range)
  (list (car range) (if (and (cdr range) (< (cdr range) largest)) (cdr range) 'null)))

;; `explained`: the explanation as a member, or #f.
(define (answer->json rule wrappers explained)
  (list->vector
   (append
    (map (lambda (entry) (cons (symbol->string (car entry)) (range->json (cdr entry)))) answer-ranges)
    (list (cons "rule" (if rule
                           (let ((place (or (rule-place rule) '(0 . 0))))
                             (vector (cons "line" (car place)) (cons "column" (cdr place))))
                           'null))
          (cons "path" wrappers))
    (if faults? '(("faults" . #t)) '())
    (if explained (list explained) '()))))

;; The wrappers that a rule gives for the question.
(define (rule-wrappers rule)
  (let ((place (rule-path-place rule)))
    (enter-place! place)
    (let* ((value ((rule-path rule)))
           (wrappers (if (or (path? value) (wrapper? value) (list? value))
                         (wrappers-of value place)
                         (fault place "this rule gives " (describe value) ", and not a path"))))
      (if (null? wrappers) (fault place "this rule gives an empty path") wrappers))))

;; The answer to a question, as `json` takes it.
(define (answer-question facts explain?)
  (set-question! facts)
  (let* ((own (or (assq-ref rules (question-operation)) '()))
         (tried (try-rules own))
         (rule (and (pair? tried) (cadar tried) (caar tried)))
         (wrappers (if rule
                       (map (lambda (wrapper) (wrapper->json wrapper facts)) (rule-wrappers rule))
                       'null)))
    (answer->json rule wrappers
                  (and explain? (explanation tried (- (length own) (length tried)) (take-notes!))))))
;; Do the rules leave every call to the MPI library? Their path is found while no call is looked at, so that any look at a
;; fact is a fault.
(define (always-native? rules)
  (call-with-faults
   (lambda ()
     (let ((tried (try-rules rules)))
       (and (cadar tried)
            (eq? 'native (wrapper-name (last (rule-wrappers (caar tried))))))))
   (lambda _ #f)))

(define (native-operations)
  (map car (filter (lambda (entry) (always-native? (cdr entry))) rules)))

;; Can it be called with so many arguments?
(define (takes? procedure count)
  (let ((arity (procedure-minimum-arity procedure)))
    (or (not arity)
        (and (<= (car arity) count) (or (caddr arity) (<= count (+ (car arity) (cadr arity))))))))

;; Those that take the member alone do not look at the size.
(define (shape-procedure? procedure)
  (or (takes? procedure 2) (takes? procedure 1)))

(define (parent-of procedure member size)
  (if (takes? procedure 2)
      (procedure member size)
      (procedure member)))

;; The parents that shape procedure `number` gives each of `size` members.
(define (ask-shape-procedure number size)
  (let ((entry (hashv-ref procedures number)))
    (unless entry
      (fault #f "shape procedure " (number->string number) " is no longer known: ask for the path again"))
    (let ((procedure (vector-ref entry 0)) (place (vector-ref entry 2)))
      (enter-place! place)
      (unless (shape-procedure? procedure)
        (fault place "a shape procedure takes a member and the size: (lambda (member size) ...)"))
      (call-in-shape-procedure
       (vector-ref entry 1)
       (lambda ()
         (map (lambda (member)
                (let ((parent (parent-of procedure member size)))
                  (cond ((not parent) -1)
                        ((and (exact-integer? parent) (< (abs parent) 2147483648)) parent)
                        (else (fault place "the shape procedure gives " (describe parent) " as the parent of member "
                                     (number->string member) " of " (number->string size)
                                     ": it must be a member, or #f for the root")))))
              (iota size)))))))
