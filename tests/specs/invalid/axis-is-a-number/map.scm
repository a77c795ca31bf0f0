(path-map
  (on bcast
    (path (bcast 2))))
