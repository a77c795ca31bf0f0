(path-map
  (on bcast
    (else (path (bcast all #:shape '(tree 0 (one)))))))
