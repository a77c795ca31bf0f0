(path-map
  #:grid '((half (0 1) (2 3)))
  (on allreduce
    (path (allreduce half))))
