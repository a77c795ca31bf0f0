(path-map
  (subranks 2 #:map '((0 1) (2))))
