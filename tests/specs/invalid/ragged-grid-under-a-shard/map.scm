(path-map
  (on allreduce
    (path (reduce-scatter core) (allreduce node))))
