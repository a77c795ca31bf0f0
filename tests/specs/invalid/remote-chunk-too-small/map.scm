(path-map
  (on bcast
    (path (remote 'auto #:chunk 32) (bcast all))))
