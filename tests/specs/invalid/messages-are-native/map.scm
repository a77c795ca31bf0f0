(path-map
  (on messages (path (trace 'all) (native))))
