(path-map
  (on bcast
    (else (path (bcast all #:shape 'flat #:shape 'chain)))))
