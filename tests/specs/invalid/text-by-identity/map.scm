(path-map
  (on allreduce
    ((eq? communicator "solver") (path (allreduce all)))))
