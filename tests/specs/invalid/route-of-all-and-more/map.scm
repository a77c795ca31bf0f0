(path-map
  (on conveyor
    (path (route all core))))
