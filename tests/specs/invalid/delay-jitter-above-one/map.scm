(path-map
  (on allreduce
    (path (delay 500us #:axis node #:jitter 120%) (allreduce all))))
