(path-map
  (on allreduce
    ((bytes <= 4KiB) (path (allreduce all)))))
