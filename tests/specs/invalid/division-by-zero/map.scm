(path-map
  (on bcast
    ((> (quotient bytes 0) 1) (path (native)))))
