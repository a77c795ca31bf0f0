(path-map
  (on bcast (path (error "red \x1b[31m\nwaymark: all is well\a\r\x9b;2J\x7f;")))) ; [2J1m
