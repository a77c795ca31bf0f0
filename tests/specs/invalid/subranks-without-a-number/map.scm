(path-map
  (subranks))
