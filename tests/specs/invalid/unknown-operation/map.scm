(path-map
  (on allreduc
    (path (allreduce all))))
