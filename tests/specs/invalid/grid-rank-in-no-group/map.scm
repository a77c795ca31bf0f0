(path-map
  #:grid '((half (0 1) (2)) core)
  (on allreduce
    (path (reduce core) (allreduce half))))
