;; two-hops: nodes of two ranks, squeezed between them where they are on several machines, and by MPI where they are odd.
(path-map
  #:grid '(node (core 2))
  (on conveyor
    ((odd? ranks) (path (aggregate 1KiB #:buffers 2) (route node core) (compress) (remote 'mpi)))
    (else (path (trace) (aggregate 4KiB #:buffers 2) (route core node) (compress) (remote 'shm 'mpi)))))
