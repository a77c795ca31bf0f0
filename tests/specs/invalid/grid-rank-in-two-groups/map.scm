(path-map
  #:grid '((half (0 1) (2 3 1)) core)
  (on bcast (path (native))))
