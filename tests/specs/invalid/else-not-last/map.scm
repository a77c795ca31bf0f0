(path-map
  (on bcast
    (else (path (native)))
    ((< bytes 8) (path (native)))))
