(path-map
  (on conveyor
    (path (delay 1ms #:axis node) (synchronous))))
