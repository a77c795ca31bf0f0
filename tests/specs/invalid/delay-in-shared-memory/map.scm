(path-map
  (on allreduce
    (path (delay 500us #:axis core)
          (reduce core #:shape 'shared)
          (allreduce node))))
