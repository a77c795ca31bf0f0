;;; A table of docs/messages.md: what the files of some folders say, out of the sources, and what to do about it.
;;
;;   guile docs/messages.scm FOLDER|FILE ...
;;   guile docs/messages.scm rows FILE ...
;;
;; A message is the text of a call that says it, with '…' for what is filled in; or a row of a table of sentences. What
;; to do is the end of its sentence, behind the last semicolon, or behind a colon that a word of `advice` follows; where it
;; has none, docs/cures says it. No memory, and what is wrong with a command line, are told in the page itself.
(use-modules (ice-9 ftw) (ice-9 match) (ice-9 rdelim) (ice-9 regex) (ice-9 textual-ports) (srfi srfi-1))

;; What stands in C before a literal that is a sentence: calls; and a function that returns one, with its cure.
(define sayers
  (make-regexp "(wm_error_set|wm_planner_fail|wm_trace_warn|refuse_image)\\(|fprintf\\(stderr,|return "))

;; Rows of the tables of sentences.
(define rows (make-regexp "^ *X\\([A-Z_]+," regexp/newline))

(define advice
  '("add" "allow" "build" "choose" "give" "install" "is" "link" "make" "name" "pull" "raise" "see" "set" "start" "use" "write"))

(define (files-below place)
  (let ((found '()))
    (nftw place (lambda (file stat flag . rest)
                  (when (and (eq? flag 'regular) (string-match "\\.(c|h|scm)$" file))
                    (set! found (cons file found)))
                  #t))
    (sort found string<?)))

;;; Sentences

;; What is filled in becomes '…', what is escaped is itself, and who speaks is left out.
(define (plain text)
  (fold (lambda (rule text) (regexp-substitute/global #f (car rule) text 'pre (cdr rule) 'post))
        text
        '(("%%" . "\x01") ("% " . "… ") ("%[-+0-9.*]*(ll|l|z|h)*[a-zA-Z]" . "…") ("\x01" . "%")
          ("\\\\n" . "") ("\\\\\"" . "\"") ("(…)+" . "…") ("^(waymark|waymark-map-server): (…: )?" . ""))))

;; Not a part of a sentence, nor the frame of another.
(define (sentence? text)
  (and (> (length (filter (lambda (word) (string-match "[a-z]{2}" word)) (string-split text #\space))) 1)
       (not (string-match "^no memory|^out of memory|…: …$|^ |^;|:$|^waymark [a-z]+: …|^\\\\r" text))))

;;; C: from `start` on, the adjacent literals of the first argument that has one

(define (literals text start)
  (let loop ((i start) (depth 0) (parts '()))
    (define (next) (string-ref text i))
    (define (done) (and (pair? parts) (string-concatenate (reverse parts))))
    (cond ((>= i (string-length text)) #f)
          ((char=? (next) #\")
           (let ((end (let quoted ((j (+ i 1)))
                        (cond ((char=? (string-ref text j) #\\) (quoted (+ j 2)))
                              ((char=? (string-ref text j) #\") j)
                              (else (quoted (+ j 1)))))))
             (loop (+ end 1) depth (cons (substring text (+ i 1) end) parts))))
          ((and (memv (next) '(#\, #\;)) (= depth 0) (pair? parts)) (done))
          ((char=? (next) #\;) #f)
          ((char=? (next) #\() (loop (+ i 1) (+ depth 1) parts))
          ((char=? (next) #\)) (if (= depth 0) (done) (loop (+ i 1) (- depth 1) parts)))
          (else (loop (+ i 1) depth parts)))))

(define (c-messages file sayers)
  (let ((text (call-with-input-file file get-string-all)))
    (let loop ((start 0) (found '()))
      (let ((call (regexp-exec sayers text start)))
        (if call
            (let* ((behind (match:end call))
                   (said (literals text behind))
                   (sentence? (and said
                                   (or (not (equal? (match:substring call) "return "))
                                       (and (string-contains said "; ")
                                            (< (string-index text #\" behind) (string-index text #\( behind)))))))
              (loop behind (if sentence? (cons said found) found)))
            (reverse found))))))

;;; Scheme: the forms that raise or make a sentence

;; Of two strings the first; a name that the file defines as a string is that; what else is filled in is '…'.
(define (joined parts definitions)
  (string-concatenate
   (map (lambda (part)
          (match part
            ((? string?) part)
            (('if _ (? string? first) (? string?)) first)
            ((? symbol?) (or (assq-ref definitions part) "…"))
            (_ "…")))
        parts)))

(define (form-messages form definitions)
  (match form
    (('fault place . (? list? parts)) (list (joined parts definitions)))
    (('string-append . (? list? parts)) (list (joined parts definitions)))
    ((first . rest) (append (form-messages first definitions) (form-messages rest definitions)))
    (_ '())))

(define (read-forms port)
  (let ((form (read port)))
    (if (eof-object? form) '() (cons form (read-forms port)))))

(define (scheme-messages file)
  (let* ((forms (call-with-input-file file read-forms))
         (definitions (filter-map (lambda (form)
                                    (match form (('define name (? string? text)) (cons name text)) (_ #f)))
                                  forms)))
    (form-messages forms definitions)))

;;; The table

(define cures ; (MESSAGE . CURE): a line each, the second one indented
  (call-with-input-file "docs/cures"
    (lambda (port)
      (let loop ((found '()))
        (let ((message (read-line port)))
          (cond ((eof-object? message) found)
                ((or (string-null? message) (string-prefix? "# " message)) (loop found))
                (else (loop (acons message (string-trim (read-line port)) found)))))))))

;; (FAULT . CURE) of a sentence.
(define (parted text)
  (let* ((semicolon (string-contains-right text "; "))
         (colon (string-contains-right text ": "))
         (behind-colon (and colon (substring text (+ colon 2)))))
    (cond ((assoc text cures) => identity)
          (semicolon (cons (substring text 0 semicolon) (substring text (+ semicolon 2))))
          ((and colon (member (car (string-split behind-colon #\space)) advice))
           (cons (substring text 0 colon) behind-colon))
          (else
           (format (current-error-port) "no cure: end the sentence by what to do, or say it in docs/cures: ~a\n" text)
           (exit 1)))))

(define (string-contains-right text part)
  (let loop ((at (- (string-length text) (string-length part))))
    (cond ((< at 0) #f)
          ((string-prefix? part text 0 (string-length part) at) at)
          (else (loop (- at 1))))))

(define (cell text)
  (regexp-substitute/global #f "\\|" text 'pre "\\|" 'post))

(define (print-table messages)
  (format #t "| it says | so |\n| --- | --- |\n")
  (for-each (lambda (message)
              (match (parted message)
                ((_ . "-") #f) ; no fault
                ((fault . cure) (format #t "| ~a | ~a |\n" (cell fault) (cell cure)))))
            messages))

(define (messages file)
  (if (string-suffix? ".scm" file) (scheme-messages file) (c-messages file sayers)))

(print-table
 (delete-duplicates
  (filter sentence?
          (map plain
               (match (cdr (command-line))
                 (("rows" . files) (append-map (lambda (file) (c-messages file rows)) files))
                 (places (append-map messages (append-map files-below places))))))))
