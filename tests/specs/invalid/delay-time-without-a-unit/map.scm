(path-map
  (on messages
    (path (delay 500 #:axis node))))
