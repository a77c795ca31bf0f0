;; bulk-ragged: synchronous conveyors over two hops of a grid that may be ragged, with paths for their exchanges.
(path-map
  #:grid '(node (core 3))
  (on allreduce (path (allreduce all #:shape 'shared)))
  (on alltoall
    (uniform? (path (alltoall core) (alltoall node)))
    (else (path (alltoall all))))
  (on conveyor (path (aggregate 512) (route core node) (synchronous))))
