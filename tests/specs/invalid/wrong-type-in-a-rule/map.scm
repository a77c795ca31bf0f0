(path-map
  (on bcast
    ((> (+ bytes 'much)
        8)
     (path (native)))))
