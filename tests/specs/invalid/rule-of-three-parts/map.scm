(path-map
  (on bcast
    ((< bytes 8) (trace 'a) (native))
    (else (path (native)))))
