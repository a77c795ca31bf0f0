;;; Write the doors: guile --no-auto-compile generate.scm c|fortran|symbols|operations FUNCTIONS.scm > OUTPUT
;;;
;;;   c           the C doors (doors.c)
;;;   fortran     the Fortran doors (doors_fortran.c)
;;;   symbols     every symbol that libwaymark-mpi.so exports, sorted, one a line
;;;   operations  the collectives' names as a map spells them, one a line

(use-modules (ice-9 format)
             (ice-9 match)
             (srfi srfi-1))

(define column-limit 120) ; .clang-format's

;;; --- Text ---

(define (lines . parts)
  "Each part on a line of its own; #f and the empty list are left out, a list stands for its elements."
  (string-concatenate
   (append-map (lambda (part)
                 (cond ((not part) '())
                       ((null? part) '())
                       ((pair? part) (map (lambda (line) (string-append line "\n")) part))
                       (else (list part "\n"))))
               parts)))

(define (column-after text)
  (- (string-length text) (or (and=> (string-rindex text #\newline) 1+) 0)))

(define (filled opening items closing)
  "OPENING, the ITEMS with commas between them, CLOSING; broken at the column limit, aligned after OPENING."
  (let ((margin (make-string (column-after opening) #\space)))
    (let next ((text opening) (items items) (first? #t))
      (if (null? items)
          (string-append text closing)
          (let* ((end (if (null? (cdr items)) closing ","))
                 (space (if first? "" " "))
                 (room (- column-limit (column-after text) (string-length space) (string-length end)))
                 (break? (and (not first?) (> (string-length (car items)) room))))
            (next (string-append text (if break? (string-append "\n" margin) space) (car items)
                                 (if (null? (cdr items)) "" ","))
                  (cdr items)
                  #f))))))

;;; --- Kinds of arguments ---
;;;
;;; For each kind: its declaration in C; its declaration in Fortran, #f when Fortran has no such argument; the C
;;; expression made from the Fortran argument; lines before and after the call; the declaration of the hidden length
;;; that a Fortran compiler passes for a CHARACTER argument. These are formats: ~a is the argument's name, and in those
;;; that need more than it, ~0@*~a is the name and ~1@*~a that of the argument beside it in the table.

(define-syntax-rule (define-kinds table (name field ...) ...)
  (define table (list (list 'name field ...) ...)))

(define-kinds kinds
  ;; kind  C  Fortran  expression  before  after  hidden
  (in "const void *~a" "const void *~a" "wm_fortran_buffer(~a)" #f #f #f)
  (out "void *~a" "void *~a" "wm_fortran_buffer(~a)" #f #f #f)
  (int "int ~a" "const MPI_Fint *~a" "*~a" #f #f #f)
  (ints "const int ~a[]" "const MPI_Fint *~a" "~a" #f #f #f)
  (int-out "int *~a" "MPI_Fint *~a" "~a" #f #f #f)
  (logical "int ~a" "const MPI_Fint *~a" "*~a != 0" #f #f #f)
  ;; .TRUE. is some value other than 0, which is all that C's functions look at.
  (logicals "const int ~a[]" "const MPI_Fint *~a" "~a" #f #f #f)
  (comm "MPI_Comm ~a" "const MPI_Fint *~a" "PMPI_Comm_f2c(*~a)" #f #f #f)
  (group "MPI_Group ~a" "const MPI_Fint *~a" "PMPI_Group_f2c(*~a)" #f #f #f)
  (info "MPI_Info ~a" "const MPI_Fint *~a" "PMPI_Info_f2c(*~a)" #f #f #f)
  (op "MPI_Op ~a" "const MPI_Fint *~a" "PMPI_Op_f2c(*~a)" #f #f #f)
  (type "MPI_Datatype ~a" "const MPI_Fint *~a" "PMPI_Type_f2c(*~a)" #f #f #f)
  (types "const MPI_Datatype ~a[]" "const MPI_Fint *~a" "c_~a"
         "    MPI_Datatype *c_~0@*~a = wm_fortran_types(~0@*~a, ~1@*~a, *comm);"
         "    free(c_~a);" #f)
  (new-comm "MPI_Comm *~a" "MPI_Fint *~a" "&c_~a"
            "    MPI_Comm c_~a = MPI_COMM_NULL;"
            "    if (rc == MPI_SUCCESS)\n        *~0@*~a = PMPI_Comm_c2f(c_~0@*~a);" #f)
  (old-comm "MPI_Comm *~a" "MPI_Fint *~a" "&c_~a"
            "    MPI_Comm c_~0@*~a = PMPI_Comm_f2c(*~0@*~a);"
            "    if (rc == MPI_SUCCESS)\n        *~0@*~a = PMPI_Comm_c2f(c_~0@*~a);" #f)
  (weights "const int ~a[]" "const MPI_Fint *~a" "wm_fortran_weights(~a)" #f #f #f)
  (errcodes "int ~a[]" "MPI_Fint *~a" "wm_fortran_errcodes(~a)" #f #f #f)
  (string "const char *~a" "const char *~a" "c_~a"
          "    char *c_~0@*~a = wm_fortran_string(~0@*~a, ~0@*~a_chars);"
          "    free(c_~a);" "int ~a_chars")
  ;; The next four mean something at the root alone; elsewhere they may be anything, so nobody looks at them.
  (argv "char *~a[]" "const char *~a" "c_~a"
        "    char **c_~0@*~a = wm_fortran_is_root(*comm, *root) ? wm_fortran_argv(~0@*~a, ~0@*~a_chars) : NULL;"
        "    free(c_~a);" "int ~a_chars")
  (commands "char *~a[]" "const char *~a" "c_~a"
            "    const int c_count = wm_fortran_is_root(*comm, *root) ? *~1@*~a : 0;
    char **c_~0@*~a = wm_fortran_strings(~0@*~a, c_count, ~0@*~a_chars);"
            "    free(c_~a);" "int ~a_chars")
  (argvs "char **~a[]" "const char *~a" "c_~a"
         "    char ***c_~0@*~a = wm_fortran_argvs(~0@*~a, c_count, ~0@*~a_chars);"
         "    wm_fortran_argvs_free(c_~a, c_count);" "int ~a_chars")
  (infos "const MPI_Info ~a[]" "const MPI_Fint *~a" "c_~a"
         "    MPI_Info *c_~0@*~a = wm_fortran_infos(~0@*~a, c_count);"
         "    free(c_~a);" #f)
  (program-count "int *~a" #f "NULL" #f #f #f)
  (program-arguments "char ***~a" #f "NULL" #f #f #f))

(define (argument-text argument column)
  "The text in COLUMN of the argument's kind, with its names filled in; #f when there is none."
  (match argument
    ((kind name . rest)
     (let ((text (list-ref (or (assq-ref kinds kind) (error "unknown kind of argument" argument)) column))
           (other (if (null? rest) #f (last rest))))
       (and text (if (string-index text #\~) (format #f text name other) text))))))

(define (texts arguments column)
  (filter-map (lambda (argument) (argument-text argument column)) arguments))

(define (c-declaration argument) (argument-text argument 0))
(define (fortran-declarations arguments) (texts arguments 1))
(define (fortran-expressions arguments) (texts arguments 2))
(define (lines-before arguments) (texts arguments 3))
(define (lines-after arguments) (texts arguments 4))
(define (hidden-declarations arguments) (texts arguments 5))

(define argument-name (compose symbol->string cadr))
(define argument-field (compose symbol->string caddr))

(define (argument-of-kind kind arguments)
  (argument-name (find (lambda (argument) (eq? (car argument) kind)) arguments)))

;;; --- Names ---

(define (lower name) (string-downcase (symbol->string name)))
(define (upper name) (string-upcase (symbol->string name)))
(define (c-name name) (format #f "MPI_~a" name))
(define (fortran-name name) (format #f "mpi_~a_" (lower name)))
(define (fortran-aliases name)
  (list (format #f "mpi_~a" (lower name))
        (format #f "mpi_~a__" (lower name))
        (format #f "MPI_~a" (upper name))
        (format #f "mpi_~a_f08_" (lower name))))

;;; --- C doors ---

(define (c-signature name arguments)
  (filled (format #f "DOOR int ~a(" (c-name name))
          (if (null? arguments) '("void") (map c-declaration arguments))
          ")"))

(define (c-call prefix name arguments)
  (filled (format #f "~aPMPI_~a(" prefix name) (map argument-name arguments) ");"))

(define (c-collective name arguments)
  (let ((field-of (lambda (argument)
                    (format #f ".~a = ~a" (argument-field argument) (argument-name argument)))))
    (lines
     (format #f "static int ~a_native(const struct wm_call *call)" (lower name))
     "{"
     (filled (format #f "    return PMPI_~a(" name)
             (map (lambda (argument) (format #f "call->~a" (argument-field argument))) arguments)
             ");")
     "}"
     ""
     (c-signature name arguments)
     "{"
     (format #f "    struct wm_comm *entered = door_enter(~a, WM_~a);"
             (argument-of-kind 'comm arguments) (upper name))
     ""
     "    if (entered == NULL)"
     (c-call "        return " name arguments)
     (filled "    const struct wm_call call = {"
             (append (list (format #f ".operation = WM_~a" (upper name)))
                     (map field-of arguments)
                     (list (format #f ".native = ~a_native" (lower name))))
             "};")
     "    return door_pass(entered, &call);"
     "}")))

(define (c-afterwards name arguments then)
  (lines (c-signature name arguments)
         "{"
         (c-call "    int rc = " name arguments)
         ""
         "    if (rc == MPI_SUCCESS)"
         (format #f "        ~a;" then)
         "    return rc;"
         "}"))

(define (c-beforehand name arguments first)
  (lines (c-signature name arguments)
         "{"
         (format #f "    ~a;" first)
         (c-call "    return " name arguments)
         "}"))

(define (c-door entry)
  (match entry
    (('collective name . arguments) (c-collective name arguments))
    (('start name . arguments) (c-afterwards name arguments "wm_runtime_start()"))
    (('stop name . arguments) (c-beforehand name arguments "wm_runtime_stop()"))
    (('maker name . arguments)
     (c-afterwards name arguments
                   (format #f "wm_comm_made(*~a)" (argument-of-kind 'new-comm arguments))))
    (('leaver name . arguments)
     (c-beforehand name arguments
                   (format #f "wm_comm_going(*~a)" (argument-of-kind 'old-comm arguments))))))

(define (write-c functions)
  (display (lines "/* The C doors, made by generate.scm from functions.scm: change those, not this. */"
                  "/* clang-format off */"
                  "#include \"core/pmpi/door.h\""))
  (for-each (lambda (entry) (newline) (display (c-door entry))) functions))

;;; --- Fortran doors ---
;;; They turn the arguments into C's and go through the C door. `ierror` is optional in mpi_f08 alone, and that
;;; module's handles are structures of one INTEGER passed by reference, so one body serves every interface.

(define (fortran-door entry)
  (match entry
    ((_ name . arguments)
     (lines (filled (format #f "DOOR void ~a(" (fortran-name name))
                    (append (fortran-declarations arguments)
                            '("MPI_Fint *ierror")
                            (hidden-declarations arguments))
                    ")")
            "{"
            (lines-before arguments)
            (filled (format #f "    int rc = ~a(" (c-name name)) (fortran-expressions arguments) ");")
            ""
            (lines-after arguments)
            "    wm_fortran_return(ierror, rc);"
            "}"
            (filled (format #f "ALSO_CALLED(~a) " (fortran-name name)) (fortran-aliases name) ";")))))

(define (write-fortran functions)
  (display (lines "/* The Fortran doors, made by generate.scm from functions.scm: change those, not this. */"
                  "/* clang-format off */"
                  "#include <stdlib.h>"
                  "#include \"core/pmpi/door.h\""
                  "#include \"core/pmpi/fortran.h\""
                  ""
                  "/* Fortran programs declare these themselves; no C header does. */"
                  "#pragma GCC diagnostic ignored \"-Wmissing-prototypes\""
                  "/* These have the same names as C's functions, but for case, and other types. */"
                  "#define ALSO_CALLED(name) extern DOOR __attribute__((alias(#name))) __typeof__(name)"))
  (for-each (lambda (entry) (newline) (display (fortran-door entry))) functions))

;;; --- Lists for the tests ---

(define (write-symbols functions)
  (for-each (lambda (symbol) (display symbol) (newline))
            (sort (append-map (match-lambda
                                ((_ name . _)
                                 (cons* (c-name name) (fortran-name name) (fortran-aliases name))))
                              functions)
                  string<?)))

(define (write-operations functions)
  (for-each (match-lambda
              (('collective name . _)
               (display (string-map (lambda (c) (if (char=? c #\_) #\- c)) (lower name)))
               (newline))
              (_ #f))
            functions))

;;; --- Main ---

(define (read-functions file)
  (call-with-input-file file
    (lambda (port)
      (let next ((entries '()))
        (let ((entry (read port)))
          (if (eof-object? entry) (reverse entries) (next (cons entry entries))))))))

(match (command-line)
  ((_ what file)
   ((match what
      ("c" write-c)
      ("fortran" write-fortran)
      ("symbols" write-symbols)
      ("operations" write-operations))
    (read-functions file)))
  (_
   (display "usage: generate.scm c|fortran|symbols|operations FUNCTIONS.scm\n" (current-error-port))
   (exit 2)))
