(path-map
  (on conveyor
    (path (segment 64KiB) (route all))))
