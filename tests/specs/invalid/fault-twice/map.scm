(path-map #:faults #t
  (on allreduce (path (lose 1%) (kill-rank 3) (allreduce all))))
