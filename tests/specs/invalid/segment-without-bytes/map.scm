(path-map
  (on bcast
    (path (segment) (bcast all))))
