(path-map
  (on allreduce
    (path (reduce core #:colour 'red) (allreduce node))))
