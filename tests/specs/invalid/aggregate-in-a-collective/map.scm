(path-map
  (on allreduce
    (path (aggregate) (allreduce all))))
