(path-map
  (on conveyor
    (path (trace) (native))))
