(path-map
  (on bcast
    (path (remote 'shm) (bcast node) (bcast core))))
