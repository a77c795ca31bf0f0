(path-map
  (on conveyor
    (path (aggregate #:flush 'steady) (synchronous))))
