(path-map
  (on bcast
    (else (path (bcast (path (native)))))))
