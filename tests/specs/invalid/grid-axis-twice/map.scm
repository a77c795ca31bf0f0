(path-map
  #:grid '(node node core)
  (on allreduce
    (path (reduce core) (allreduce node))))
