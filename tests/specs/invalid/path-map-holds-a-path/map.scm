(path-map
  (path (native)))
