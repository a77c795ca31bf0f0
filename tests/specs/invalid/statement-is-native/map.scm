(path-map
  (on statement (native)))
