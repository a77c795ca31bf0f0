(path-map
  (on bcast
    (else (path (trace (list-ref '(a b) 7)) (native)))))
