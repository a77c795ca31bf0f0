(path-map
  (on bcast
    (else (+ 1 2))))
