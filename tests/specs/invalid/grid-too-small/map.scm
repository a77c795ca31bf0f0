(path-map
  #:grid '((node 2) (core 1))
  (on allreduce
    (path (reduce core) (allreduce node))))
