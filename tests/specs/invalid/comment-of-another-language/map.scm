# mine
(path-map
  (on allreduce (path (allreduce all))))
