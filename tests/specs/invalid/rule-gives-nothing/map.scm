(path-map
  (on bcast
    (else (when (> bytes 1GiB) (path (native))))))
