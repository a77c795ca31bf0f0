(path-map
  (on bcast
    (else
     (path (bcast all #:shape (lambda (member size) (car member)))))))
