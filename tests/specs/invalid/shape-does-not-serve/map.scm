(path-map
  (on allreduce
    (path (reduce core #:shape 'ring) (allreduce node))))
