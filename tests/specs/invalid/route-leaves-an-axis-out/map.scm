(path-map
  (on conveyor
    (path (aggregate)
          (route core))))
