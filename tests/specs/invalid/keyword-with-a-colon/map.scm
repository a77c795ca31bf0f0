(path-map
  (on allreduce
    (path (allreduce all :shape 'ring))))
