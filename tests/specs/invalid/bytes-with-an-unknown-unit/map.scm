(path-map
  (on bcast
    ((< bytes 2KB) (path (native)))))
