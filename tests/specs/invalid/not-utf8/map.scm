;; café
(path-map (on bcast (path (native))))
