(path-map
  (on bcast))
