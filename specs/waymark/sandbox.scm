;;; What a map may use of Scheme, and what it is told about the rest.
;;
;; The module in which a map runs holds these names and no others: nothing that reads or writes, starts, loads,
;; evaluates, changes a variable or a datum, or asks the clock, so that a map answers the same question the same way.
;; What takes a size is capped. The walls that hold even so are the operating system's (core/map/sandbox.c).

(define-module (waymark sandbox)
  #:use-module (waymark fault)
  #:use-module (waymark facts)
  #:use-module (waymark language)
  #:export (make-map-module standard-names language-names forbidden-sentence nearest-known))

(define syntax-names
  '(_ ... => else and or not begin case case-lambda case-lambda* cond define define* define-values
    do if lambda lambda* λ let let* letrec letrec* let-syntax letrec-syntax
    quasiquote quote unquote unquote-splicing unless when while
    define-syntax define-syntax-rule syntax-rules))

(define list-names
  '(car cdr caar cadr cdar cddr caaar caadr cadar caddr cdaar cdadr cddar cdddr cadddr cddddr
    cons cons* list list? pair? null? length append reverse list-ref list-tail list-head list-copy last-pair
    list-index filter delete member memq memv assoc assq assv assoc-ref assq-ref assv-ref acons
    map map-in-order for-each apply sort sorted? and-map or-map))

(define srfi-1-names
  '(fold fold-right append-map filter-map any every find find-tail partition remove
    first second third fourth fifth last take drop take-while drop-while
    concatenate delete-duplicates count list-tabulate xcons zip unzip1 unfold))

(define number-names
  '(+ - * / 1+ 1- abs max min quotient remainder modulo gcd lcm numerator denominator
    floor ceiling round truncate floor/ floor-quotient floor-remainder truncate/ truncate-quotient truncate-remainder
    zero? positive? negative? odd? even? number? integer? exact-integer? rational? real? exact? inexact? nan? inf?
    exact->inexact inexact->exact sqrt exact-integer-sqrt log log10 exp integer-length logand logior logxor
    logtest logbit? logcount lognot number->string string->number))

(define other-names
  '(boolean? symbol? procedure? eq? eqv? equal? identity const compose negate values call-with-values
    symbol->string string->symbol symbol-append keyword? keyword->symbol symbol->keyword
    vector vector? vector-ref vector-length vector->list list->vector
    char? char=? char<? char-numeric? char-alphabetic? char-upcase char-downcase char->integer
    string string? string=? string<? string>? string<=? string>=? string-ci=? string-length string-ref
    string-append string-join string-null? string-prefix? string-suffix? string-contains string-index string-split
    string-upcase string-downcase string-trim string-trim-both string-pad string-reverse string-concatenate
    substring string-take string-drop string->list list->string string-count string-every string-any
    error))

(define standard-names (append syntax-names list-names srfi-1-names number-names other-names))

;; Capped versions of what takes a size.
(define size-limit 1000000)

(define (check-size name size unit)
  (when (and (real? size) (> size size-limit))
    (fault #f "'" name "' of " (show size) " " unit " takes too much memory: the limit is " (show size-limit))))

(define (capped name procedure)
  (lambda (n . rest)
    (check-size name n "elements")
    (apply procedure n rest)))

(define (capped-ash n bits)
  (check-size "ash" bits "bits")
  (ash n bits))

(define (capped-expt base power)
  (when (and (exact-integer? base) (exact-integer? power))
    (check-size "expt" (* (integer-length base) (abs power)) "bits"))
  (expt base power))

(define capped-procedures
  `((make-list . ,(capped "make-list" make-list)) (make-vector . ,(capped "make-vector" make-vector))
    (make-string . ,(capped "make-string" make-string)) (iota . ,(capped "iota" iota))
    (ash . ,capped-ash) (expt . ,capped-expt)))

(define comparison-names '((wm:< . <) (wm:<= . <=) (wm:= . =) (wm:>= . >=) (wm:> . >)))
(define word-names '(path-map on path tree))
(define way-names '(collective messages conveyor)) ; each stands for itself: (via conveyor)

;; A fresh module with the words of the language, `wrappers` and `axes` (symbols).
(define (make-map-module wrappers axes)
  (let ((module (make-module)))
    (define (import! from names)
      (module-use! module (resolve-interface from #:select names)))
    (define (bind! name value)
      (module-define! module name value))
    (import! '(guile) (append syntax-names list-names number-names other-names))
    (import! '(srfi srfi-1) srfi-1-names)
    (import! '(waymark facts) (append measure-names comparison-names))
    (import! '(waymark language) word-names)
    (for-each (lambda (pair) (bind! (car pair) (cdr pair))) capped-procedures)
    (for-each (lambda (name)
                (unless (memq name measure-names)
                  (bind! name (make-syntax-transformer name 'macro (fact-transformer name)))))
              fact-names)
    (for-each (lambda (name) (bind! name name)) way-names)
    (for-each (lambda (name) (bind! name (numbered-shape name))) numbered-shapes)
    (for-each (lambda (name) (bind! name (make-axis name))) axes)
    (for-each (lambda (name)
                (bind! name (make-syntax-transformer name 'macro (wrapper-transformer name))))
              wrappers)
    ;; With an interface it counts as loaded; Guile would look for its file at each macro.
    (set-module-public-interface! module (make-module))
    module))

;; Names that a map may not define anew.
(define (language-names wrappers axes)
  (append wrappers axes word-names numbered-shapes fact-names (map cdr comparison-names)))

;;; What to say of a name that is not known

(define forbidden
  '(("maps cannot open files"
     open-file open-input-file open-output-file open open-fdes call-with-input-file call-with-output-file
     with-input-from-file with-output-to-file primitive-load load-from-path include include-from-path
     delete-file rename-file copy-file mkdir rmdir opendir readdir stat file-exists? chdir getcwd tmpfile mkstemp)
    ("maps cannot start programs"
     system system* primitive-fork fork spawn execl execlp execle open-pipe open-pipe* open-input-pipe
     open-output-pipe popen kill waitpid exit quit primitive-exit abort)
    ("maps cannot use the network" socket connect bind listen accept getaddrinfo gethostbyname)
    ("maps cannot read or print"
     display write newline format simple-format printf read read-line write-line print pk peek write-char
     write-string read-char current-output-port current-input-port current-error-port
     call-with-output-string with-output-to-string)
    ("maps cannot load modules or evaluate data"
     use-modules import define-module library export eval primitive-eval eval-string compile resolve-module
     resolve-interface current-module interaction-environment @ @@ module-ref dynamic-link foreign-library
     load-extension eval-when)
    ("maps cannot make macros by program: syntax-rules is there"
     syntax-case datum->syntax syntax->datum syntax quasisyntax define-macro defmacro with-syntax)
    ("maps cannot change a variable or a datum: the same question must have the same answer"
     set! set-car! set-cdr! vector-set! string-set! hash-set! make-hash-table make-parameter parameterize
     vector-fill! append! reverse! list-set! define-once)
    ("maps cannot ask the clock, chance or the environment: the same question must have the same answer"
     random current-time gettimeofday get-internal-real-time get-internal-run-time sleep usleep getenv setenv
     gethostname getpid uname)
    ("maps cannot catch errors or jump: (error \"...\") ends a rule with a sentence"
     catch throw raise raise-exception with-exception-handler guard false-if-exception dynamic-wind call/cc
     call-with-current-continuation call-with-prompt abort-to-prompt call-with-escape-continuation let/ec)
    ("maps cannot start threads" call-with-new-thread make-thread begin-thread future touch parallel)))

(define (forbidden-sentence name)
  (or-map (lambda (entry) (and (memq name (cdr entry)) (car entry))) forbidden))

(define (near-miss-of-bytes? text)
  (and (char-numeric? (string-ref text 0))
       (let ((unit (string-downcase (string-trim text (lambda (c) (or (char-numeric? c) (char=? c #\.)))))))
         (member unit '("k" "m" "g" "t" "kb" "mb" "gb" "tb" "b" "kib" "mib" "gib" "tib" "ki" "mi" "gi")))))

;; "; did you mean the axis 'core'?" or "". `groups` is a list of (KIND NAME …), the likeliest first.
(define (nearest-known name groups nearest)
  (let ((text (symbol->string name)))
    (cond ((= (string-length text) 1) "") ; everything short is near to it
          ((near-miss-of-bytes? text) ": sizes are written with B, KiB, MiB, GiB or TiB, as 2KiB")
          (else
           (or (or-map (lambda (group)
                         (let ((found (nearest text (map symbol->string (cdr group)))))
                           (and found (string-append "; did you mean " (car group) "'" found "'?"))))
                       groups)
               "")))))
