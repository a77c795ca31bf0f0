(path-map
  (on bcast
    ((< bytes 8))
    (else (path (native)))))
