(path-map
  (on allreduce
    (path (reduce cores) (allreduce node))))
