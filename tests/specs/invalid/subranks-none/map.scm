(path-map
  (subranks 0))
