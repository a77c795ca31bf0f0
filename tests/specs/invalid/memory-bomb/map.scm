(define (grow text)
  (grow (string-append text text)))
(path-map
  (on bcast
    (else
     (path (trace (grow "wide")) (native)))))
