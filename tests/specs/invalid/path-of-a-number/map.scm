(path-map
  (on bcast
    (else (path (trace 'a) 8 (native)))))
