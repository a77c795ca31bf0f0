(path-map
  (on bcast
    (else
     (path (bcast all #:shape (lambda (member) (if (> bytes 8) 0 #f)))))))
