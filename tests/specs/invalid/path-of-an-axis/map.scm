(path-map
  (on bcast
    (else (path bcast core))))
