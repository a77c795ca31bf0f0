(path-map
  (on messages
    (path (delay 500us))))
