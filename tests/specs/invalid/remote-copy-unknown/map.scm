(path-map
  (on bcast
    (path (remote 'auto #:copy 'triple) (bcast all))))
