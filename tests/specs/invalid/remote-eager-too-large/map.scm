(path-map
  (on bcast
    (path (remote 'auto #:eager 2MiB) (bcast all))))
