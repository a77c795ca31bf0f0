(path-map
  (on conveyor
    (path (aggregate 8KiB #:buffers 65))))
