(path-map
  (on messages (path (trace 'all) (bcast all))))
