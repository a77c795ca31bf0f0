(path-map
  (on everything
    (path (native))))
