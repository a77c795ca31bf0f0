(path-map
  (on allreduce (path (lose 1%) (allreduce all))))
