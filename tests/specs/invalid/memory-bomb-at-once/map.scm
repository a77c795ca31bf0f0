(path-map
  (on bcast
    (else (path (trace (make-string 4000000000)) (native)))))
