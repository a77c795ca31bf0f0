(path-map
  (on bcast
    ((< bytes 1.3B) (path (native)))))
