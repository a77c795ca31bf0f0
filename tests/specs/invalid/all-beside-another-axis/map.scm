(path-map
  (on allreduce
    (path (reduce core) (allreduce all))))
