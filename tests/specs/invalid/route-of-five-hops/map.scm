(path-map
  (on conveyor
    (path (route core node core node core))))
