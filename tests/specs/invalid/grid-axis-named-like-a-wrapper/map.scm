(path-map #:grid '(node (reduce 2))
  (on bcast (path (native))))
