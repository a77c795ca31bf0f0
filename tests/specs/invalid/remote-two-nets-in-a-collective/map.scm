(path-map
  (on allreduce
    (path (remote 'shm 'mpi) (allreduce all))))
