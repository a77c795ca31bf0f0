;;; Facts of the question that is being answered, and for which other questions the answer holds.
;;
;; A rule that looks at a fact that varies from call to call makes its answer depend on it. What a rule did look at is
;; noted as it runs, so that the note is exact whatever procedures it went through: a comparison with `bytes` or `load`
;; written as an operand narrows a range, any other use of a varying fact makes the answer hold for this number alone.

(define-module (waymark facts)
  #:use-module ((srfi srfi-1) #:select (find))
  #:use-module (srfi srfi-9)
  #:use-module (waymark fault)
  #:export (set-facts! fact-names measure-names fact fact-transformer
            set-local-sizes! set-question! clear-question! question-operation answer-ranges
            take-notes! call-in-shape-procedure
            bytes load items
            wm:< wm:<= wm:= wm:>= wm:>))

(define fact-names '())    ; of all facts (core/path/facts.h), as symbols
(define varying-names '()) ; of those that differ between calls (core/path/validity.h)
(define (set-facts! names varying)
  (set! fact-names names)
  (set! varying-names varying))

;; Those that comparisons narrow, which are words of this module; `fact-transformer` makes a word of any other.
(define measure-names '(bytes load items))

(define question #f) ; ((NAME . VALUE) ...), or #f
(define in-shape-procedure? #f)
(define local-sizes '()) ; operations, as symbols, whose ranks need not know each other's counts
(define looked-at '())   ; ((NAME . VALUE) ...), the latest first, since notes were taken

(define (set-local-sizes! operations) (set! local-sizes operations))

;; For which the answer holds, both ends included: ((NAME LOW . HIGH) ...), HIGH #f for no upper end; a fact that is not
;; there may be any.
(define answer-ranges '())

(define (narrow! name range)
  (set! answer-ranges
    (assq-set! answer-ranges name (intersection (or (assq-ref answer-ranges name) '(0 . #f)) range))))

;; For this value alone. No root, -1, is that of every call of the operation.
(define (pin! name value)
  (let ((number (case value ((#t) 1) ((#f) 0) (else value))))
    (unless (< number 0) (narrow! name (cons number number)))))

(define (set-question! facts)
  (set! question facts)
  (set! looked-at '())
  (set! answer-ranges '()))

(define (clear-question!) (set! question #f))
(define (question-operation) (assq-ref question 'operation))

;; A shape procedure runs after its path was answered, for whom else the answer serves: too late to depend on what varies.
(define (look name)
  (when (and in-shape-procedure? (memq name varying-names))
    (fault #f "a shape procedure cannot look at '" name "': bind it outside, (let ((x " name
           ")) (lambda (member size) ...))"))
  (unless question
    (fault #f "'" name "' is known only while a call is looked at: move it into a rule or a procedure"))
  (let ((value (assq-ref question name)))
    (unless (assq name looked-at)
      (set! looked-at (acons name value looked-at)))
    value))

;; Those of one operation alone: (NAME OPERATION SENTENCE), what it is and what other operations have in its place.
(define single-names
  '((protocol messages "is told of messages" "use 'communicator' or 'nodes'")
    (near? messages "is told of messages" "use 'communicator' or 'nodes'")
    (statement statement "is the name of a statement" "use 'communicator' or 'nodes'")
    (knowledge statement "is told of a statement" "use 'bytes'")
    (items statement "is what a rank sends in a statement" "use 'bytes'")
    (load conveyor "is what a rank pushed in a conveyor's run before" "use 'bytes'")))

;; `place`: where the map says the name.
(define (check-single name place)
  (let ((single (assq name single-names)))
    (when (and single (not (eq? (question-operation) (cadr single))))
      (fault place "'" (symbol->string name) "' " (caddr single) ", which '" (symbol->string (question-operation))
             "' does not have; " (cadddr single)))))

;; `place`: where the map says the name.
(define (fact name place)
  (let ((value (look name)))
    (when (memq name varying-names) (pin! name value))
    (check-single name place)
    (when (memq name '(protocol communicator)) (narrow! name '(1 . 1))) ; for this one alone
    value))

;; The facts looked at since the last time, ((NAME . VALUE) ...) in that order.
(define (take-notes!)
  (let ((notes (reverse looked-at)))
    (set! looked-at '())
    notes))

(define (call-in-shape-procedure facts thunk)
  (dynamic-wind
    (lambda () (set! question facts) (set! in-shape-procedure? #t))
    thunk
    (lambda () (clear-question!) (set! in-shape-procedure? #f))))

;; What comparisons narrow. `looked` gives the number, or a fault at the place where the map says it.
(define-record-type <measure>
  (make-measure name looked)
  measure?
  (name measure-name) (looked measure-looked))

;; `place`: where the map says `bytes`.
(define (shared-bytes place)
  (let ((bytes (look 'bytes)))
    (when (memq (question-operation) local-sizes)
      (fault place "'bytes' is not known for '" (symbol->string (question-operation))
             "': its ranks need not know each other's counts; use 'ranks' or 'nodes'"))
    bytes))

(define (single-measure name)
  (lambda (place)
    (let ((number (look name)))
      (check-single name place)
      number)))

(define measured-bytes (make-measure 'bytes shared-bytes))
(define measured-load (make-measure 'load (single-measure 'load)))
(define measured-items (make-measure 'items (single-measure 'items)))

;; Any use but a comparison.
(define (read-measure measure place)
  (let ((number ((measure-looked measure) place)))
    (pin! (measure-name measure) number)
    number))

(define (fact-transformer name)
  (lambda (x)
    (let ((value #`(fact '#,(datum->syntax #'fact name) '#,(datum->syntax #'fact (place-of x)))))
      (syntax-case x ()
        (id (identifier? #'id) value)
        ((_ argument ...) #`(#,value argument ...))))))

(define-syntax-rule (define-measure name measure)
  (define-syntax name
    (lambda (x)
      (let ((place (datum->syntax #'measure (place-of x))))
        (syntax-case x ()
          (id (identifier? #'id) #`(read-measure measure '#,place))
          ((_ argument (... ...)) #`((read-measure measure '#,place) argument (... ...))))))))

(define-measure bytes measured-bytes)
(define-measure load measured-load)
(define-measure items measured-items)

;; The numbers b, as (LOW . HIGH) with HIGH #f for no end, for which `b RELATION c` is true; #f when for none.
(define (true-range relation c)
  (define (up-to n) (and (>= n 0) (cons 0 n)))
  (define (from n) (cons (max n 0) #f))
  (cond ((nan? c) #f)
        ((inf? c) (if (eq? (> c 0) (and (memq relation '(< <=)) #t))
                      (and (not (eq? relation '=)) (cons 0 #f))
                      #f))
        (else
         (let ((c (inexact->exact c)))
           (case relation
             ((<) (up-to (- (ceiling c) 1)))
             ((<=) (up-to (floor c)))
             ((>=) (from (ceiling c)))
             ((>) (from (+ (floor c) 1)))
             (else (and (integer? c) (>= c 0) (cons c c))))))))

(define (intersection a b)
  (and a b
       (let ((low (max (car a) (car b)))
             (high (cond ((not (cdr a)) (cdr b)) ((not (cdr b)) (cdr a)) (else (min (cdr a) (cdr b))))))
         (and (or (not high) (<= low high)) (cons low high)))))

(define (turned relation)
  (case relation ((<) '>) ((<=) '>=) ((>) '<) ((>=) '<=) (else '=)))

;; One step of a comparison, a RELATION b; `here` stands for what is measured.
(define (pair-range relation compare here a b)
  (cond ((and (eq? a here) (eq? b here)) (and (memq relation '(<= >= =)) (cons 0 #f)))
        ((eq? a here) (true-range relation b))
        ((eq? b here) (true-range (turned relation) a))
        (else (and (compare a b) (cons 0 #f)))))

(define here (list 'here))

;; Compare operands, those that are `here` standing for the measure, and narrow its range to where the outcome is the
;; same. The numbers for which the whole is true are one interval; those for which it is false lie on its two sides.
(define (compare-measure measure place relation compare operands)
  (let* ((size ((measure-looked measure) place))
         (name (measure-name measure))
         (outcome (apply compare (map (lambda (x) (if (eq? x here) size x)) operands)))
         (range (let loop ((rest operands) (range (cons 0 #f)))
                  (if (or (null? rest) (null? (cdr rest)))
                      range
                      (loop (cdr rest)
                            (intersection range (pair-range relation compare here (car rest) (cadr rest))))))))
    (cond ((not range) #f)
          ((< size (car range)) (narrow! name (cons 0 (- (car range) 1))))
          ((and (cdr range) (> size (cdr range))) (narrow! name (cons (+ (cdr range) 1) #f)))
          (else (narrow! name range)))
    outcome))

;; With two of them as operands the answer narrows in the first one here, and holds for this number of the other alone.
(define-syntax-rule (define-comparison name relation)
  (define-syntax name
    (lambda (x)
      (define (comparison measured measure operands)
        (define (measured? operand) (and (identifier? operand) (free-identifier=? operand measured)))
        (let ((first (find measured? operands)))
          (and first
               #`(compare-measure #,measure '#,(datum->syntax #'name (place-of first)) 'relation relation
                                  (list #,@(map (lambda (operand) (if (measured? operand) #'here operand))
                                                operands))))))
      (syntax-case x ()
        ((_ operand (... ...))
         (or (comparison #'bytes #'measured-bytes #'(operand (... ...)))
             (comparison #'load #'measured-load #'(operand (... ...)))
             (comparison #'items #'measured-items #'(operand (... ...)))
             #'(relation operand (... ...))))
        (id (identifier? #'id) #'relation)))))

(define-comparison wm:< <)
(define-comparison wm:<= <=)
(define-comparison wm:= =)
(define-comparison wm:>= >=)
(define-comparison wm:> >)
