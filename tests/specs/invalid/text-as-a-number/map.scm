(path-map
  (on allreduce
    ((= communicator "solver") (path (allreduce all)))))
