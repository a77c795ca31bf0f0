(path-map #:faults #t
  (on allreduce (path (kill-rank 0) (native))))
