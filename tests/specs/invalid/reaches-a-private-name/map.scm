(path-map
  (on bcast
    (((@@ (guile) system) "true") (path (native)))))
