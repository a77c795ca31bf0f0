(path-map
  (on allreduce
    (path (reduce core node))))
