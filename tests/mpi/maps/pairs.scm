;; pairs: nodes of two cores, whatever the machine; the last node is short of one when the number of ranks is odd.
(path-map
  #:grid '(node (core 2))
  (on barrier (path (reduce core) (barrier node)))
  (on bcast
    ((<= bytes 64) (path (bcast node) (bcast core)))
    ((<= bytes 1KiB) (path (trace) (bcast core) (bcast node #:shape 'chain)))
    (uniform? (path (scatter node) (scatter core #:out 'butterfly)))
    (else (path (segment 2KiB) (bcast node) (bcast core))))
  (on reduce
    ((<= bytes 64) (path (reduce core) (reduce node)))
    ((<= bytes 1KiB) (path (reduce node #:shape 'chain) (reduce core)))
    (uniform? (path (trace) (reduce-scatter core) (reduce-scatter node #:shape 'ring)))
    (else (path (segment 2KiB) (reduce core) (reduce node))))
  (on allreduce
    ((<= bytes 64) (path (trace) (reduce core) (allreduce node)))
    ((and (<= bytes 512) uniform?) (path (allreduce core) (allreduce node)))
    ((<= bytes 512) (path (reduce core) (reduce node)))
    (uniform? (path (segment 64KiB) (reduce-scatter core) (remote 'mpi) (allreduce node #:shape 'ring)))
    (else (path (trace) (reduce core) (allreduce node #:shape 'halving)))))
