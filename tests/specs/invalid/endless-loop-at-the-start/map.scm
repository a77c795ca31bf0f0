(define limit
  (let loop () (loop)))
(path-map
  (on bcast (path (native))))
