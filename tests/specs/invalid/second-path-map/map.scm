(path-map
  (on bcast (path (native))))
(path-map
  (on reduce (path (native))))
