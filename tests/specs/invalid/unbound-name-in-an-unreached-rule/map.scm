(path-map
  (on allreduce
    (else (path (native))))
  (on bcast
    ((< bytes 2KiB) (path (native)))
    ((> bytes limit) (path (native)))))
