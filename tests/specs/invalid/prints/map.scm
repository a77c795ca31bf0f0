(path-map
  (on bcast
    ((begin (display bytes) #t) (path (native)))))
