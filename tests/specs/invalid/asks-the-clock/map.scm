(path-map
  (on bcast
    ((odd? (current-time)) (path (native)))))
