(path-map
  (on allreduce
    ((< x 1) (path (allreduce all)))))
