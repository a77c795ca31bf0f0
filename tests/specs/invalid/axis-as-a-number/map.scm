(path-map
  (on allreduce
    ((= node 1) (path (allreduce all)))))
