(path-map
  #:grid '((rack ("*") ("*")) core)
  (on bcast (path (native))))
