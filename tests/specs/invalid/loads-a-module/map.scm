(use-modules (ice-9 popen))
(path-map
  (on bcast (path (native))))
