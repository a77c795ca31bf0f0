(path-map #:gird '(node (core 2))
  (on bcast (path (native))))
