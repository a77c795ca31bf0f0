(path-map
  (on conveyor
    (path (route core node) (remote 'shm))))
