(path-map
  (on conveyor
    (path (aggregate 8KiB)
          (route all)
          (aggregate 16KiB))))
