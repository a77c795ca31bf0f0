(path-map
  (on allreduce
    ((<= bytes 1KiB)
     (path (reduce core)))
    (else (path (native)))))
