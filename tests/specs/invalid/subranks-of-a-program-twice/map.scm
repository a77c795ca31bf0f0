(path-map
  (subranks 2 #:program "a") (subranks 3) (subranks 1 #:program "a"))
