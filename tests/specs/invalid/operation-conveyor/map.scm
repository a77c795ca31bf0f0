(path-map
  (on conveyor
    (path (native))))
