(path-map
  (on conveyor
    (path (trace 'outer) (route all) (trace 'inner))))
