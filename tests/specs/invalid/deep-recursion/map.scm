(define (deep n) (+ 1 (deep (+ n 1))))
(path-map
  (on bcast
    ((< bytes (deep 0))
     (path (native)))))
