(path-map
  (on allreduce
    (path (reduce core #:shape 'shared) (allreduce node #:shape 'shared))))
