(path-map #:faults 3
  (on allreduce (path (allreduce all))))
