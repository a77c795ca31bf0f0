;; dealt: five ranks dealt out to two nodes unevenly, out of order.
(path-map
  #:grid '((node (4 0) (1 3 2)) core)
  (on conveyor
    ((= ranks 5) (path (aggregate 700 #:buffers 2)
                     (route core node core) (compress) (remote 'mpi)))
    (else (path (aggregate 100 #:buffers 2) (route node core)))))
