(path-map
  (on conveyor
    (path (aggregate) (alltoall all))))
