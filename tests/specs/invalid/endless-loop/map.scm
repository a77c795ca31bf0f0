(path-map
  (on bcast
    ((let loop ((i 0)) (loop (+ i 1)))
     (path (native)))))
