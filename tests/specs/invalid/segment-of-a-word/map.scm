(path-map
  (on bcast
    (path (segment 'large) (bcast all))))
