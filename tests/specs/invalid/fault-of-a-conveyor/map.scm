(path-map #:faults #t
  (on conveyor (path (lose 1%) (route all))))
