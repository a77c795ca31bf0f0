(path-map #:grid (list 'node 'core)
  (on bcast (path (native))))
