(path-map
  (on bcast
    else (path (native))))
