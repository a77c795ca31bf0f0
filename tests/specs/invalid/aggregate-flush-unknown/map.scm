(path-map
  (on conveyor
    (path (aggregate #:flush 'steadily))))
