(path-map
  (on allreduce
    ((<= bytes 64 KiB) (path (allreduce all)))))
