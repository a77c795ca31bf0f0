(path-map
  (on allreduce
    (path (delay 500us #:axis nodes) (allreduce all))))
