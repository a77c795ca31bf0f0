(path-map
  (on reduce
    (path (reduce all #:order 'ranks))))
