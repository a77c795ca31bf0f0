(path-map
  (on bcast
    (else (path (trace "all) (native)))))
