(path-map
  (on bcast (path (native)))
  (on (reduce bcast) (path (native))))
