(path-map
  (subranks 2 #:workers 3))
