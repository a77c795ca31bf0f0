(path-map
  (on bcast
    (else (path (native)))
  (on allreduce
    (else (path (trace 'all) (native)))))
