(path-map
  (on allreduce
    (path (allreduce core #:shape (shared 1)) (allreduce node))))
