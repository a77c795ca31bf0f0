(path-map
  (on bcast
    (else (path (segment (expt 2 80)) (native)))))
