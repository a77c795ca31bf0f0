;; convey-hops: in the memory of a host and by MPI between hosts, in one to three hops, squeezed, by LZ4, or as they are.
(path-map
  (on conveyor
    ((<= bytes 4) (path (aggregate 200 #:buffers 2) (route core node core) (compress) (remote 'shm 'mpi)))
    ((<= bytes 8) (path (trace) (aggregate 2KiB #:buffers 2 #:flush 'steady) (route core node) (compress)))
    ((<= bytes 40) (path (aggregate 1KiB #:buffers 1) (route node core) (compress 'lz4) (remote 'shm 'mpi)))
    (else (path (aggregate 8KiB) (route all) (remote 'shm 'mpi)))))
