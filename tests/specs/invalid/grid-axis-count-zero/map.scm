(path-map #:grid '(node (core 0))
  (on bcast (path (native))))
