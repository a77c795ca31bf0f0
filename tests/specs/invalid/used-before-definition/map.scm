(define limit (* 2 unit))
(define unit 1KiB)
(path-map
  (on bcast ((< bytes limit) (path (native)))))
