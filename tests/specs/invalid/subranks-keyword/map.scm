(path-map
  (subranks 2 #:stak 1MiB))
