(path-map
  (on bcast
    (path (segment 0) (bcast all))))
