(path-map
  (on reduce
    (path (remote 'shmem) (reduce all))))
