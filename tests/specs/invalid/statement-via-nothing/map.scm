(path-map
  (on statement (path (via 'pigeon))))
