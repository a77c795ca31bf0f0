;; The messages of one protocol are traced.
(path-map
  (on messages
    ((string=? protocol "mail")
     (path (trace 'letters) (remote 'auto #:eager 1KiB)))))
