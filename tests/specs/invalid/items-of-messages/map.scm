(path-map
  (on messages
    ((> items 3) (path (trace)))))
