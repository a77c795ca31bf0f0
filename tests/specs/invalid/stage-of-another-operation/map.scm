(path-map
  (on gather
    (path (reduce all))))
