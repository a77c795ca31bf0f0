;; all-held: every operation over a network that is emulated, between nodes of two cores or between any two ranks.
(define slow (delay 30us #:axis node #:mbit 8000 #:jitter 50% #:seed 3))
(define slow-everywhere (delay 10us #:axis all #:jitter 100%))

(path-map
  #:grid '(node (core 2))
  (on barrier (path slow (reduce core #:shape 'shared) (barrier node)))
  (on bcast
    ((<= bytes 64) (path slow-everywhere (bcast all)))
    (else (path (trace) slow (segment 256) (bcast node #:shape 'chain) (bcast core))))
  (on reduce (path (reduce core #:shape 'shared) slow (reduce node #:shape 'double-tree)))
  (on allreduce
    ((<= bytes 64) (path slow-everywhere (allreduce all #:shape 'butterfly)))
    (else (path (trace) slow (segment 256) (reduce core) (allreduce node #:shape 'ring))))
  (on (gather gatherv) (path slow (gather core) (gather node)))
  (on (scatter scatterv) (path slow (scatter node) (scatter core)))
  (on (allgather allgatherv) (path (trace) slow (gather core) (allgather node #:shape 'ring)))
  (on (alltoall alltoallv alltoallw) (path (trace) slow-everywhere (alltoall all #:shape 'pairwise)))
  (on (reduce-scatter reduce-scatter-block) (path slow (reduce core) (reduce-scatter node)))
  (on (scan exscan) (path slow (scan all)))
  (on (neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (path slow (neighbor all))))
