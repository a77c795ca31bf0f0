(path-map #:grid 'node
  (on bcast (path (native))))
