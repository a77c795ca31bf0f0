(path-map
  (on allreduce
    (path (trace “small”) (allreduce all))))
