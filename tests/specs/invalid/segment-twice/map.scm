(path-map
  (on allreduce
    (path (segment 4) (segment 2) (allreduce all))))
