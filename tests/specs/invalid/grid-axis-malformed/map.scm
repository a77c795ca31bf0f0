(path-map #:grid '(node (core "four" 4))
  (on bcast (path (native))))
