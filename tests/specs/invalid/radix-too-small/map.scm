(path-map
  (on allreduce
    (path (reduce core #:shape (k-nomial 1)) (allreduce node))))
