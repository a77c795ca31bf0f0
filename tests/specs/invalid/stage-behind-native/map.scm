(path-map
  (on allreduce
    (path (native) (allreduce all))))
