(path-map
  (on conveyor
    (path (route core node core)
          (synchronous))))
