(define small? (< bytes 2KiB))
(path-map
  (on bcast
    (small? (path (native)))))
