(path-map
  (on bcast
    (else (path (trace 'a) ((native))))))
