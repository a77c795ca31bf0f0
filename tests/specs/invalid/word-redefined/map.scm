(define (reduce f list)
  (fold f 0 list))
(path-map
  (on bcast (path (native))))
