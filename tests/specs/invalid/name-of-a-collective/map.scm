(path-map
  (on (bcast "halo") (native)))
