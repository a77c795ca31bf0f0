(path-map
  (on allreduce
    ((and (<= bytes 8) && commutative?) (path (allreduce all)))))
