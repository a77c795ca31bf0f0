(path-map
  (on reduce
    (path (trace 'lost))))
