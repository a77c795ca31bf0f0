(path-map
  #:grid '((cluster ("node0") ("other*")) node core)
  (on allreduce
    (path (reduce core) (reduce node) (allreduce cluster))))
