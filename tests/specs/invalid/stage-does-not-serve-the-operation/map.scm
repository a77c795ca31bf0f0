(path-map
  (on bcast
    (path (reduce core) (bcast node))))
