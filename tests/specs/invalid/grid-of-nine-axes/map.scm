(path-map
  #:grid '(a b c d e f g h i)
  (on bcast (path (native))))
