(path-map
  (on conveyor
    (path (route core core node))))
