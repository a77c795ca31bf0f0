(path-map
  (on (statement "halo" 3) (path (trace))))
