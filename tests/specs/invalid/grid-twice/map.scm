(path-map
  #:grid '(node core)
  (on bcast (path (native)))
  #:grid '(node (core 2)))
