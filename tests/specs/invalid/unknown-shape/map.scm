(path-map
  (on allreduce
    (path (reduce core) (allreduce node #:shape 'buterfly))))
