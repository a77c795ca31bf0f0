(path-map
  (on bcast
    (else
     (path (bcast all #:shape (lambda (member size) (if (> member 0) "root" #f)))))))
