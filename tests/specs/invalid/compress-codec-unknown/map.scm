(path-map
  (on conveyor
    (path (compress 'lz5))))
