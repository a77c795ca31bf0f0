(path-map
  (on allreduce
    (path (segment 1KiB) (native))))
