(path-map
  (on allreduce
    (path (redcue core) (allreduce node))))
