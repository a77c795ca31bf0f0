(path-map
  (subranks 2 #:map 'round))
