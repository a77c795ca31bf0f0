;; messages: all hops by MPI, also within a node, steady; small items in buffers of one or two.
(path-map
  #:grid '(node (core 2))
  (on conveyor
    ((< bytes 100) (path (aggregate 40 #:buffers 1 #:flush 'steady) (route core node) (remote 'mpi)))
    (else (path (trace) (aggregate 4KiB #:buffers 3 #:flush 'steady) (route all) (remote 'mpi)))))
