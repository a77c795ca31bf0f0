(path-map
  (on conveyor
    (path (remote 'shm 'mpi #:eager 4KiB))))
