(define (stages inner outer)
  (list (bcast inner) (bcast outer)))
(path-map
  (on bcast
    (else (path (stages core)))))
