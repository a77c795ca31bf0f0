(path-map
  (on allreduce
    ((> load 1MiB) (path (allreduce all)))
    (else (native))))
