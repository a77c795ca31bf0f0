;;; Write the doors: guile --no-auto-compile generate.scm WHAT FUNCTIONS.scm > OUTPUT
;;;
;;;   c           the C doors (doors.c)
;;;   fortran     the Fortran doors (doors_fortran.c)
;;;   subranks    the C doors of collectives among subranks (core/subrank/collective_doors.c)
;;;   subranks-f  all Fortran doors of subranks (core/subrank/fortran_doors.c)
;;;   symbols     every symbol that libwaymark-mpi.so exports, sorted, one a line; MPIX's where the library has them
;;;   operations  the collectives' names as a map spells them, one a line

(use-modules (ice-9 format)
             (ice-9 match)
             (srfi srfi-1)
             (srfi srfi-9)
             (srfi srfi-11))

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
;;; that need more than it, ~0@*~a is the name, ~1@*~a what stands behind it in the table, ~2@*~a what comes next.

(define-syntax-rule (define-kinds table (name field ...) ...)
  (define table (list (list 'name field ...) ...)))

(define-kinds kinds
  ;; kind  C  Fortran  expression  before  after  hidden
  (in "const void *~a" "const void *~a" "wm_fortran_buffer(~a)" #f #f #f)
  (out "void *~a" "void *~a" "wm_fortran_buffer(~a)" #f #f #f)
  (int "int ~a" "const MPI_Fint *~a" "*~a" #f #f #f)
  (ints "const int ~a[]" "const MPI_Fint *~a" "~a" #f #f #f)
  (aints "const MPI_Aint ~a[]" "const MPI_Aint *~a" "~a" #f #f #f)
  (int-out "int *~a" "MPI_Fint *~a" "~a" #f #f #f)
  (logical "int ~a" "const MPI_Fint *~a" "*~a != 0" #f #f #f)
  ;; .TRUE. is some value other than 0, which is all that C's functions look at.
  (logicals "const int ~a[]" "const MPI_Fint *~a" "~a" #f #f #f)
  (comm "MPI_Comm ~a" "const MPI_Fint *~a" "FORTRAN_MPI(Comm_f2c)(*~a)" #f #f #f)
  (group "MPI_Group ~a" "const MPI_Fint *~a" "FORTRAN_MPI(Group_f2c)(*~a)" #f #f #f)
  (info "MPI_Info ~a" "const MPI_Fint *~a" "FORTRAN_MPI(Info_f2c)(*~a)" #f #f #f)
  (op "MPI_Op ~a" "const MPI_Fint *~a" "FORTRAN_MPI(Op_f2c)(*~a)" #f #f #f)
  (type "MPI_Datatype ~a" "const MPI_Fint *~a" "FORTRAN_MPI(Type_f2c)(*~a)" #f #f #f)
  (types "const MPI_Datatype ~a[]" "const MPI_Fint *~a" "c_~a"
         "    MPI_Datatype *c_~0@*~a = wm_fortran_types(~0@*~a, ~2@*~a, wm_fortran_~3@*~a(*comm));"
         "    free(c_~a);" #f)
  (kept-types "const MPI_Datatype ~a[]" "const MPI_Fint *~a" "c_~a"
              "    const MPI_Datatype *c_~0@*~a = wm_fortran_types_kept(~0@*~a, ~2@*~a, wm_fortran_~3@*~a(*comm));"
              #f #f)
  (new-comm "MPI_Comm *~a" "MPI_Fint *~a" "&c_~a"
            "    MPI_Comm c_~a = MPI_COMM_NULL;"
            "    if (rc == MPI_SUCCESS)\n        *~0@*~a = FORTRAN_MPI(Comm_c2f)(c_~0@*~a);" #f)
  (old-comm "MPI_Comm *~a" "MPI_Fint *~a" "&c_~a"
            "    MPI_Comm c_~0@*~a = FORTRAN_MPI(Comm_f2c)(*~0@*~a);"
            "    if (rc == MPI_SUCCESS)\n        *~0@*~a = FORTRAN_MPI(Comm_c2f)(c_~0@*~a);" #f)
  (request "MPI_Request *~a" "MPI_Fint *~a" "&c_~a"
           "    MPI_Request c_~a = MPI_REQUEST_NULL;"
           "    if (rc == MPI_SUCCESS)\n        *~0@*~a = FORTRAN_MPI(Request_c2f)(c_~0@*~a);" #f)
  (old-request "MPI_Request *~a" "MPI_Fint *~a" "&c_~a"
               "    MPI_Request c_~0@*~a = FORTRAN_MPI(Request_f2c)(*~0@*~a);"
               "    if (rc == MPI_SUCCESS)\n        *~0@*~a = FORTRAN_MPI(Request_c2f)(c_~0@*~a);" #f)
  (old-op "MPI_Op *~a" "MPI_Fint *~a" "&c_~a"
          "    MPI_Op c_~0@*~a = FORTRAN_MPI(Op_f2c)(*~0@*~a);"
          "    if (rc == MPI_SUCCESS)\n        *~0@*~a = FORTRAN_MPI(Op_c2f)(c_~0@*~a);" #f)
  (requests "MPI_Request ~a[]" "MPI_Fint *~a" "c_~a"
            "    MPI_Request *c_~0@*~a = wm_fortran_requests(~0@*~a, *~1@*~a);"
            "    wm_fortran_requests_return(~0@*~a, c_~0@*~a, *~1@*~a);" #f)
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
  (level "const int ~a" "const MPI_Fint *~a" "*~a" #f #f #f)
  (new-message "MPI_Message *~a" "MPI_Fint *~a" "&c_~a"
               "    MPI_Message c_~a = MPI_MESSAGE_NULL;"
               "    *~0@*~a = FORTRAN_MPI(Message_c2f)(c_~0@*~a);" #f)
  (old-message "MPI_Message *~a" "MPI_Fint *~a" "&c_~a"
               "    MPI_Message c_~0@*~a = FORTRAN_MPI(Message_f2c)(*~0@*~a);"
               "    *~0@*~a = FORTRAN_MPI(Message_c2f)(c_~0@*~a);" #f)
  ;; Completion calls hand on what they were given.
  (status "MPI_Status *~a" "MPI_Fint *~a" "wm_fortran_status(~a)" #f #f #f)
  (statuses "MPI_Status ~a[]" "MPI_Fint *~a" "wm_fortran_statuses(~a)" #f #f #f)
  (flag "int *~a" "MPI_Fint *~a" "~a" #f #f #f)
  (index "int *~a" "MPI_Fint *~a" "~a" #f #f #f)
  (indices "int ~a[]" "MPI_Fint *~a" "~a" #f #f #f)
  (program-count "int *~a" #f "NULL" #f #f #f)
  (program-arguments "char ***~a" #f "NULL" #f #f #f))

;;; Those that there are among subranks alone, or that are others there. A request is given back after an error, too:
;;; some that failed are over.

(define-kinds subrank-kinds
  (old-request "MPI_Request *~a" "MPI_Fint *~a" "&c_~a"
               "    MPI_Request c_~0@*~a = MPI_Request_f2c(*~0@*~a);"
               "    *~0@*~a = MPI_Request_c2f(c_~0@*~a);" #f)
  (named-request "MPI_Request ~a" "const MPI_Fint *~a" "MPI_Request_f2c(*~a)" #f #f #f)
  (index "int *~a" "MPI_Fint *~a" "~a" #f
         "    if (rc == MPI_SUCCESS)\n        wm_fortran_indices(~0@*~a, 1);" #f)
  (indices "int ~a[]" "MPI_Fint *~a" "~a" #f
           "    if (rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS)\n        wm_fortran_indices(~0@*~a, *~1@*~a);" #f)
  (new-group "MPI_Group *~a" "MPI_Fint *~a" "&c_~a"
             "    MPI_Group c_~a = MPI_GROUP_NULL;"
             "    *~0@*~a = MPI_Group_c2f(c_~0@*~a);" #f)
  (old-group "MPI_Group *~a" "MPI_Fint *~a" "&c_~a"
             "    MPI_Group c_~0@*~a = MPI_Group_f2c(*~0@*~a);"
             "    *~0@*~a = MPI_Group_c2f(c_~0@*~a);" #f)
  (new-info "MPI_Info *~a" "MPI_Fint *~a" "&c_~a"
            "    MPI_Info c_~a = MPI_INFO_NULL;"
            "    *~0@*~a = MPI_Info_c2f(c_~0@*~a);" #f)
  (errhandler "MPI_Errhandler ~a" "const MPI_Fint *~a" "MPI_Errhandler_f2c(*~a)" #f #f #f)
  (new-errhandler "MPI_Errhandler *~a" "MPI_Fint *~a" "&c_~a"
                  "    MPI_Errhandler c_~a = MPI_ERRHANDLER_NULL;"
                  "    *~0@*~a = MPI_Errhandler_c2f(c_~0@*~a);" #f)
  (old-errhandler "MPI_Errhandler *~a" "MPI_Fint *~a" "&c_~a"
                  "    MPI_Errhandler c_~0@*~a = MPI_Errhandler_f2c(*~0@*~a);"
                  "    *~0@*~a = MPI_Errhandler_c2f(c_~0@*~a);" #f)
  (aint "MPI_Aint ~a" "const MPI_Aint *~a" "*~a" #f #f #f)
  (aint-out "MPI_Aint *~a" "MPI_Aint *~a" "~a" #f #f #f)
  (function #f "wm_rank_function_given *~a" "~a" #f #f #f)
  (ranges "int ~a[][3]" "MPI_Fint ~a[][3]" "~a" #f #f #f)
  (weights-out "int ~a[]" "MPI_Fint *~a" "(int *)wm_fortran_weights(~a)" #f #f #f)
  (text "char *~a" "char *~a" "~0@*~a, ~0@*~a_chars" #f #f "int ~a_chars"))

(define known-kinds (make-parameter kinds))

(define (argument-text argument column)
  "The text in COLUMN of the argument's kind, with its names filled in; #f when there is none."
  (match argument
    ((kind . names)
     (let ((text (list-ref (or (assq-ref (known-kinds) kind) (error "unknown kind of argument" argument)) column)))
       (and text (if (string-index text #\~) (apply format #f text names) text))))))

(define (texts arguments column)
  (filter-map (lambda (argument) (argument-text argument column)) arguments))

(define (c-declaration argument) (argument-text argument 0))
(define (fortran-declarations arguments) (texts arguments 1))
(define (fortran-expressions arguments) (texts arguments 2))
(define (lines-before arguments) (texts arguments 3))
(define (lines-after arguments) (texts arguments 4))
(define (hidden-declarations arguments) (texts arguments 5))

(define argument-name (compose symbol->string cadr))
(define (field? argument) (pair? (cddr argument))) ; in a collective
(define argument-field (compose symbol->string caddr))

(define (argument-of-kind kind arguments)
  "The name of the first argument of KIND, #f when there is none."
  (and=> (find (lambda (argument) (eq? (car argument) kind)) arguments) argument-name))

;;; --- Doors ---

(define (lower name) (string-downcase (symbol->string name)))
(define (upper name) (string-upcase (symbol->string name)))

;; What is generated. NAME is the MPI function's, "MPI_Iallreduce"; OPERATION the table's name, Allreduce. A form, of a
;; collective alone, is how its door passes: run, begin or init.
(define-record-type door
  (make-door class operation form name arguments)
  door?
  (class door-class)
  (operation door-operation)
  (form door-form)
  (name door-name)
  (arguments door-arguments))

(define (persistent? door) (eq? (door-form door) 'init))

(define (kept argument)
  "ARGUMENT of a call that goes on after it has returned, in which arrays made for it must last."
  (match argument
    (('types . names) (cons 'kept-types names))
    (_ argument)))

(define (doors-of entry)
  (match entry
    (('collective operation . arguments)
     (let ((going-on (map kept arguments)))
       (list (make-door 'collective operation 'run (format #f "MPI_~a" operation) arguments)
             (make-door 'collective operation 'init (format #f "MPIX_~a_init" operation)
                        (append going-on '((info info info) (request request))))
             (make-door 'collective operation 'begin (format #f "MPI_I~a" (lower operation))
                        (append going-on '((request request)))))))
    ((class name . arguments)
     (list (make-door class name #f (format #f "MPI_~a" name) arguments)))))

(define (of-subranks? door) (memq (door-class door) '(subrank given)))
(define (of-runtime doors) (remove of-subranks? doors))

(define (write-doors text doors)
  "Write the TEXT of each of the DOORS; persistent ones only count where the library has them."
  (for-each (lambda (door)
              (newline)
              (when (persistent? door) (display "#if WM_PERSISTENT_LIBRARY\n"))
              (display (text door))
              (when (persistent? door) (display "#endif\n")))
            doors))

(define (name-within door)
  (string-downcase (substring (door-name door) (1+ (string-index (door-name door) #\_)))))
(define (native-name door) (string-append (name-within door) "_native"))
(define (fortran-name door) (string-append (string-downcase (door-name door)) "_"))
(define (fortran-aliases door)
  (let ((name (string-downcase (door-name door))))
    (list name
          (string-append name "__")
          (string-upcase name)
          (string-append name "_f08_"))))

;;; --- C doors ---

(define (c-signature door)
  (filled (format #f "DOOR int ~a(" (door-name door))
          (if (null? (door-arguments door)) '("void") (map c-declaration (door-arguments door)))
          ")"))

(define (c-call prefix door)
  (filled (format #f "~aP~a(" prefix (door-name door)) (map argument-name (door-arguments door)) ");"))

(define (c-native door)
  (lines (format #f "static int ~a(const struct wm_call *call, MPI_Request *request)" (native-name door))
         "{"
         (and (eq? (door-form door) 'run) "    (void)request;")
         (filled (format #f "    return P~a(" (door-name door))
                 (map (lambda (argument)
                        (if (field? argument)
                            (format #f "call->~a" (argument-field argument))
                            (argument-name argument)))
                      (door-arguments door))
                 ");")
         "}"))

(define (c-argument-fields door)
  (append (list (format #f ".operation = WM_~a" (upper (door-operation door))))
          (map (lambda (argument) (format #f ".~a = ~a" (argument-field argument) (argument-name argument)))
               (filter field? (door-arguments door)))))

(define (c-fields door)
  (append (c-argument-fields door)
          (list (format #f ".native = ~a" (native-name door)) ".site = DOOR_SITE()")
          (if (eq? (door-form door) 'begin)
              (list (format #f ".init = DOOR_INIT(~a_init_native)" (lower (door-operation door))))
              '())))

(define (c-entered door)
  (format #f "    struct wm_comm *entered = door_enter(comm, WM_~a);" (upper (door-operation door))))

(define (c-call-of indent fields)
  (filled (format #f "~aconst struct wm_call call = {" indent) fields "};"))

(define (c-blocking door)
  (lines
   (c-native door)
   (c-signature door)
   "{"
   (c-entered door)
   ""
   "    if (entered != NULL) {"
   (c-call-of "        " (c-fields door))
   "        int rc = door_run(entered, &call);"
   ""
   "        if (rc != WM_CALL_LEFT)"
   "            return rc;"
   "    }"
   (c-call "    return " door)
   "}"))

(define (c-collective door)
  (if (eq? (door-form door) 'run)
      (c-blocking door)
      (lines
       (c-native door)
       (c-signature door)
       "{"
       (c-entered door)
       ""
       "    if (entered == NULL)"
       (c-call "        return " door)
       (c-call-of "    " (c-fields door))
       (format #f "    return door_~a(entered, &call, request);" (door-form door))
       "}")))

(define (c-afterwards door then)
  (lines (c-signature door)
         "{"
         (c-call "    int rc = " door)
         ""
         "    if (rc != MPI_SUCCESS)"
         "        return rc;"
         (format #f "    ~a;" then)
         (and=> (argument-of-kind 'new-comm (door-arguments door))
                (lambda (name) (format #f "    wm_comm_kept(*~a, DOOR_SITE());" name)))
         "    return MPI_SUCCESS;"
         "}"))

(define (c-beforehand door first)
  (lines (c-signature door)
         "{"
         (format #f "    ~a;" first)
         (c-call "    return " door)
         "}"))

(define (c-unless door passes)
  (lines (c-signature door)
         "{"
         "    int rc;"
         ""
         (format #f "    if (~a)" passes)
         "        return rc;"
         (c-call "    return " door)
         "}"))

(define (c-instead door call)
  (lines (c-signature door)
         "{"
         (format #f "    return ~a;" call)
         "}"))

;; The address and the count of the requests that it may complete.
(define (requests-of door)
  (let ((single (argument-of-kind 'old-request (door-arguments door))))
    (if single
        (values single "1")
        (values (argument-of-kind 'requests (door-arguments door)) (argument-of-kind 'int (door-arguments door))))))

;; What a completion call has completed, as door_waited wants it; BASE is the first index: 0 of C, whose statuses it can read.
(define (done-of door base)
  (let* ((name-of (lambda (kind) (argument-of-kind kind (door-arguments door))))
         (index (or (name-of 'index) (name-of 'indices)))
         (count (cond ((name-of 'int-out) => (lambda (name) (format #f "rc == MPI_SUCCESS ? *~a : 0" name)))
                      ((name-of 'flag) => (lambda (name) (format #f "rc == MPI_SUCCESS && *~a" name)))
                      (else "1"))))
    (format #f "&(struct door_done){.rc = rc~a~a}"
            (cond (index (format #f ", .count = ~a, .indices = ~a, .base = ~a" count index base))
                  (else (format #f ", .all = ~a" (if (name-of 'flag) count "true"))))
            (if (= base 0) (format #f ", .statuses = ~a" (or (name-of 'status) (name-of 'statuses))) ""))))

(define (function-of door) (string-append "WM_POST_" (upper (door-operation door))))

(define (c-waiter door)
  (let-values (((requests count) (requests-of door)))
    (lines (c-signature door)
           "{"
           "    struct wm_waiting waiting;"
           "    struct wm_awaited watch;"
           (own-status door #t)
           "    int rc;"
           ""
           (filled "    if (!door_waits() || !door_follows("
                   (list "&waiting" "&watch" (function-of door) count "DOOR_SITE()" "door_request_at" requests) "))")
           (c-call "        return " door)
           (own-status door #f)
           (c-call "    rc = " door)
           (filled "    door_waited(" (list "&waiting" "&watch" "door_request_at" requests (done-of door 0)) ");")
           "    return rc;"
           "}")))

;;; Messages: the fields of struct wm_watch_call are named after what the arguments are named.

(define watch-fields
  '((dest . "to") (sendtag . "send_tag") (sendcount . "count") (sendtype . "type") (count . "count")
    (datatype . "type") (source . "from") (recvtag . "receive_tag") (status . "status") (comm . "comm")))

(define (watch-field argument sends?)
  (let* ((name (cadr argument))
         (field (if (eq? name 'tag) (if sends? "send_tag" "receive_tag") (assq-ref watch-fields name))))
    (and field (format #f ".~a = ~a" field name))))

(define (watch-call door)
  (let* ((has? (lambda (name) (any (lambda (argument) (eq? (cadr argument) name)) (door-arguments door))))
         (sends? (has? 'dest)) (receives? (has? 'source)))
    (filled "    struct wm_watch_call call = {"
            (append (list (string-append ".function = " (function-of door)) ".site = DOOR_SITE()"
                          (format #f ".sends = ~a" (if sends? "true" "false"))
                          (format #f ".receives = ~a" (if receives? "true" "false")))
                    (if (has? 'comm) '() '(".comm = MPI_COMM_NULL"))
                    (filter-map (lambda (argument) (watch-field argument sends?)) (door-arguments door)))
            "};")))

;; Where the program wants no status: one for a wildcard to be known by.
(define (own-status door declares?)
  (let ((status (argument-of-kind 'status (door-arguments door))))
    (and status
         (if declares?
             "    MPI_Status own;"
             (format #f "    ~a = ~a != MPI_STATUS_IGNORE ? ~a : &own;" status status status)))))

(define (c-messenger door)
  (let ((flag (argument-of-kind 'flag (door-arguments door))))
    (lines (c-signature door)
           "{"
           "    if (!door_watches())"
           (c-call "        return " door)
           (own-status door #t)
           (own-status door #f)
           (watch-call door)
           "    bool watched = wm_watch_begin(&call);"
           (c-call "    int rc = " door)
           ""
           "    if (watched)"
           (format #f "        wm_watch_end(&call, ~a);"
                   (if flag (format #f "rc == MPI_SUCCESS && !*~a ? MPI_ERR_OTHER : rc" flag) "rc"))
           "    return rc;"
           "}")))

(define (c-poster door)
  (let ((request (argument-of-kind 'request (door-arguments door))))
    (lines (c-signature door)
           "{"
           "    if (!door_watches())"
           (c-call "        return " door)
           (watch-call door)
           "    wm_watch_post(&call);"
           (c-call "    int rc = " door)
           ""
           "    if (rc == MPI_SUCCESS)"
           (format #f "        wm_watch_posted(&call, *~a);" request)
           "    return rc;"
           "}")))

;; Other tools that stand behind this one are told as well.
(define (c-controller door)
  (let ((level (argument-of-kind 'level (door-arguments door))))
    (lines (format #f "DOOR int ~a(const int ~a, ...)" (door-name door) level)
           "{"
           (format #f "    wm_control_set(~a);" level)
           (c-call "    return " door)
           "}")))

(define (c-door door)
  (let ((name-of (lambda (kind) (argument-of-kind kind (door-arguments door)))))
    (match (door-class door)
      ('collective (c-collective door))
      ('start (c-afterwards door "wm_runtime_start()"))
      ('stop (c-beforehand door "wm_runtime_stop()"))
      ('maker (c-afterwards door (format #f "wm_comm_made(*~a)" (name-of 'new-comm))))
      ('duplicator
       (c-afterwards door (format #f "wm_comm_duplicated(~a, *~a, ~a)" (name-of 'comm) (name-of 'new-comm)
                                  (if (name-of 'info) (format #f "&~a" (name-of 'info)) "NULL"))))
      ('foreteller
       (c-afterwards door (format #f "wm_comm_coming(~a, *~a)" (name-of 'comm) (name-of 'new-comm))))
      ('namer (c-afterwards door (format #f "wm_comm_named(~a)" (name-of 'comm))))
      ('leaver (c-beforehand door (format #f "wm_comm_going(*~a)" (name-of 'old-comm))))
      ('starter (c-unless door (format #f "door_start(~a, &rc)" (name-of 'old-request))))
      ('starters (c-instead door (format #f "door_startall(~a, ~a)" (name-of 'int) (name-of 'requests))))
      ('freer (c-unless door (format #f "door_free(~a, &rc)" (name-of 'old-request))))
      ('waiter (c-waiter door))
      ('messenger (c-messenger door))
      ('poster (c-poster door))
      ('canceller (c-beforehand door (format #f "door_cancel(~a)" (name-of 'old-request))))
      ('controller (c-controller door))
      ('op-freer (c-unless door (format #f "wm_op_free(~a, &rc)" (name-of 'old-op)))))))

(define (write-c doors)
  (display (lines "/* The C doors, made by generate.scm from functions.scm: change those, not this. */"
                  "/* clang-format off */"
                  "#include \"core/pmpi/door.h\""
                  ""
                  "__thread const void *wm_door_site __attribute__((tls_model(\"initial-exec\"), visibility(\"hidden\")));"))
  (write-doors c-door (of-runtime doors)))

;;; --- Doors of subranks ---

;; A sibling that meets needs few arguments, in registers; a function of its own writes the whole call to memory.
(define (c-subrank-blocking-door door)
  (let ((fields (c-call-of "    " (c-argument-fields door))))
    (lines (filled (format #f "static WM_COROUTINE_RETURNS_BY_JUMP int ~a_alone(" (name-within door))
                   (map c-declaration (door-arguments door)) ")")
           "{"
           fields
           ""
           (format #f "    return wm_rank_collective(&call, \"~a\");" (door-name door))
           "}"
           ""
           (c-signature door)
           "{"
           fields
           "    struct wm_sibling *sibling = wm_rank_sibling(&call, __func__);"
           ""
           "    if (sibling != NULL)"
           "        return wm_sibling_come(sibling, call.operation, call.send, call.receive);"
           (filled (format #f "    return ~a_alone(" (name-within door)) (map argument-name (door-arguments door)) ");")
           "}")))

(define (c-subrank-door door)
  (if (eq? (door-form door) 'run)
      (c-subrank-blocking-door door)
      (lines (c-signature door)
             "{"
             (c-call-of "    " (c-argument-fields door))
             ""
             (format #f "    return wm_rank_collective_~a(&call, request, __func__);" (door-form door))
             "}")))

(define (write-subranks doors)
  (display (lines "/* Collectives among subranks, made by core/pmpi/generate.scm from functions.scm: change those, not this. */"
                  "/* clang-format off */"
                  "#include \"core/data/persistent_library.h\""
                  "#include \"core/subrank/collective_door.h\""
                  "#define DOOR WM_RANK_DOOR"))
  (write-doors c-subrank-door
               (filter (lambda (door) (eq? (door-class door) 'collective)) doors)))

;;; --- Fortran doors ---
;;; They turn the arguments into C's and go through the C door. `ierror` is optional in mpi_f08 alone, and that
;;; module's handles are structures of one INTEGER passed by reference, so one body serves every interface.

;; A completion call turns nothing into C's but its requests: statuses, indices and flags are the library's to convert.
(define (fortran-waiter door)
  (let* ((arguments (door-arguments door))
         (direct (string-append "p" (fortran-name door)))
         (names (append (map argument-name arguments) '("ierror")))
         (pass (lambda (end) (filled (format #f "    ~a(" direct) (map argument-name arguments) end))))
    (let-values (((requests count) (requests-of door)))
      (lines (filled (format #f "extern void __attribute__((weak)) ~a(" direct)
                     (make-list (length names) "MPI_Fint *") ");")
             (filled (format #f "DOOR void ~a(" (fortran-name door))
                     (append (map (lambda (name) (string-append "MPI_Fint *" name)) names)) ")")
             "{"
             "    struct wm_waiting waiting;"
             "    struct wm_awaited watch;"
             "    MPI_Fint rc;"
             (filled "    bool follows = door_waits() && door_follows("
                     (list "&waiting" "&watch" (function-of door)
                           (if (string=? count "1") count (string-append "*" count))
                           "__builtin_return_address(0)" "wm_fortran_request_at" requests) ");")
             ""
             (pass ", &rc);")
             "    if (follows)"
             (filled "        door_waited("
                     (list "&waiting" "&watch" "wm_fortran_request_at" requests (done-of door 1)) ");")
             "    wm_fortran_return(ierror, rc);"
             "}"
             (filled (format #f "ALSO_CALLED(~a) " (fortran-name door)) (fortran-aliases door) ";")))))

;; The one function of MPI that gives no ierror.
(define (fortran-controller door)
  (let ((arguments (door-arguments door)))
    (lines (filled (format #f "DOOR void ~a(" (fortran-name door)) (fortran-declarations arguments) ")")
           "{"
           (filled (format #f "    ~a(" (door-name door)) (fortran-expressions arguments) ");")
           "}"
           (filled (format #f "ALSO_CALLED(~a) " (fortran-name door)) (fortran-aliases door) ";"))))

(define (fortran-door door)
  (match (door-class door)
    ('waiter (fortran-waiter door))
    ('controller (fortran-controller door))
    (_ (fortran-converting-door door (door-name door) (fortran-aliases door)
                                (memq (door-class door) '(collective messenger poster maker duplicator foreteller))))))

;; Of a door that is SITED the C door is to know from where it was called.
(define (fortran-converting-door door function aliases sited?)
  (let ((arguments (door-arguments door)))
    (lines (filled (format #f "DOOR void ~a(" (fortran-name door))
                   (append (fortran-declarations arguments)
                           '("MPI_Fint *ierror")
                           (hidden-declarations arguments))
                   ")")
           "{"
           (and sited? "    wm_door_site = __builtin_return_address(0);")
           (lines-before arguments)
           (filled (format #f "    int rc = ~a(" function) (fortran-expressions arguments) ");")
           ""
           (and sited? "    wm_door_site = NULL;")
           (lines-after arguments)
           "    wm_fortran_return(ierror, rc);"
           "}"
           (filled (format #f "ALSO_CALLED(~a) " (fortran-name door)) aliases ";"))))

(define fortran-pragmas
  '("/* Fortran programs declare these themselves; no C header does. */"
    "#pragma GCC diagnostic ignored \"-Wmissing-prototypes\""
    "/* MPI has removed or deprecated some. */"
    "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\""
    "/* These have the same names as C's functions, but for case, and other types. */"
    "#define ALSO_CALLED(name) extern DOOR __attribute__((alias(#name))) __typeof__(name)"))

(define (write-fortran doors)
  (display (lines "/* The Fortran doors, made by generate.scm from functions.scm: change those, not this. */"
                  "/* clang-format off */"
                  "#include <stdlib.h>"
                  "#include \"core/pmpi/door.h\""
                  "#include \"core/pmpi/fortran.h\""
                  ""
                  fortran-pragmas))
  (write-doors fortran-door (of-runtime doors)))

;;; --- Fortran doors of subranks ---

;; Where the C door is one that refuses whatever the arguments are.
(define (fortran-refused? door)
  (memq (door-operation door) '(Comm_accept Comm_connect Comm_join Comm_spawn Comm_spawn_multiple)))

;; mpi_f08 gives back a pointer to the buffer, and has a door of its own.
(define (fortran-subrank-door door)
  (let ((given? (eq? (door-class door) 'given)))
    (fortran-converting-door door
                             (if given? (string-append "wm_fortran_" (lower (door-operation door))) (door-name door))
                             (if (eq? (door-operation door) 'Buffer_detach)
                                 (delete "mpi_buffer_detach_f08_" (fortran-aliases door))
                                 (fortran-aliases door))
                             #f)))

(define (write-subranks-fortran doors)
  (let ((doors (remove fortran-refused? doors)))
    (display (lines "/* Fortran doors of subranks, made by core/pmpi/generate.scm from functions.scm: change those, not this. */"
                    "/* clang-format off */"
                    "#include \"core/subrank/fortran.h\""
                    "#include <stdlib.h>"
                    "#include \"core/data/persistent_library.h\""
                    "#define DOOR WM_RANK_DOOR"
                    ""
                    fortran-pragmas))
    (parameterize ((known-kinds (append subrank-kinds kinds)))
      (write-doors (lambda (door)
                     (if (eq? (door-class door) 'controller) (fortran-controller door) (fortran-subrank-door door)))
                   doors))
    (display (lines ""
                    "const struct wm_rank_function wm_rank_fortran_doors[] = {"
                    (map (lambda (door)
                           (format #f "    {\"~a\", (void (*)(void))~a}," (fortran-name door) (fortran-name door)))
                         (remove persistent? doors))
                    "    {0}};"))))

;;; --- Lists for the tests ---

(define (write-symbols doors)
  (for-each (lambda (symbol) (display symbol) (newline))
            (sort (append-map (lambda (door)
                                (cons* (door-name door) (fortran-name door) (fortran-aliases door)))
                              (of-runtime doors))
                  string<?)))

(define (write-operations doors)
  (for-each (lambda (door)
              (when (eq? (door-form door) 'run)
                (display (string-map (lambda (c) (if (char=? c #\_) #\- c)) (lower (door-operation door))))
                (newline)))
            doors))

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
      ("subranks" write-subranks)
      ("subranks-f" write-subranks-fortran)
      ("symbols" write-symbols)
      ("operations" write-operations))
    (append-map doors-of (read-functions file))))
  (_
   (display "usage: generate.scm c|fortran|subranks|subranks-f|symbols|operations FUNCTIONS.scm\n" (current-error-port))
   (exit 2)))
