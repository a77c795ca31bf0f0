(path-map
  (on conveyor
    (path (route core node) (remote 'mpi 'shm))))
