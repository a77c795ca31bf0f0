(path-map
  (on (statement "halo" "ring") (path (trace)))
  (on (statement "ring") (path (via conveyor))))
