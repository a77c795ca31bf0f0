(path-map
  (on allreduce
    ((<= bytes -64KiB) (path (allreduce all)))))
