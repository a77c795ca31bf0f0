(path-map #:faults #t
  (on allreduce (path (flip 1%) (allreduce all #:shape 'shared))))
