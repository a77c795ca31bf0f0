(path-map
  (on allreduce
    (path (delay 500us #:axis node) (native))))
