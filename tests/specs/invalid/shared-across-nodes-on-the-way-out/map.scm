(path-map
  (on bcast
    (path (scatter all #:out 'shared))))
