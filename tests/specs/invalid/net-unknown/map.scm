(path-map
  (on reduce
    (path (remote 'shm) (reduce all))))
