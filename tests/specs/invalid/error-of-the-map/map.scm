(path-map
  (on bcast
    (else (error "no path for this many ranks:" ranks))))
