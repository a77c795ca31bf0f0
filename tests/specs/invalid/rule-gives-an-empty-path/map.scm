(path-map
  (on bcast
    (else (filter procedure? (list 1 2)))))
