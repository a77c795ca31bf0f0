(path-map
  (on allreduce
    ((< bites 2KiB) (path (native)))))
