(path-map
  (on bcast
    ((< bytes (expt 7 (expt 10 12))) (path (native)))))
