(path-map
  (on bcast
    ((let ((limit)) (< bytes limit)) (path (native)))))
