#| this map
(path-map (on bcast (path (native))))
