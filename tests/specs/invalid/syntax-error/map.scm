(define (small? n)
  (if))
(path-map
  (on bcast (path (native))))
