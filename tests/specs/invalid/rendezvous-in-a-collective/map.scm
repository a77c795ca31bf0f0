(path-map
  (on bcast (path (remote 'shm #:rendezvous 'all) (bcast all))))
