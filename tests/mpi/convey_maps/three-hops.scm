;; three-hops: core node core over nodes of three ranks, the last one may have fewer; small items by MPI, with LZ4.
(path-map
  #:grid '(node (core 3))
  (on conveyor
    ((<= bytes 8) (path (aggregate 200 #:buffers 1) (route core node core) (compress 'lz4) (remote 'mpi)))
    (else (path (aggregate 2KiB) (route core node core) (remote 'shm 'mpi)))))
