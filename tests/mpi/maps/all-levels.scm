;; all-levels: every operation over two levels, nodes of two cores, the last one short of one when ranks are odd.
(path-map
  #:grid '(node (core 2))
  (on barrier (path (reduce core) (barrier node #:shape '(dissemination 3))))
  (on bcast (path (bcast node #:shape 'split-binary) (bcast core)))
  (on reduce (path (trace) (reduce core) (reduce node #:shape 'double-tree)))
  (on allreduce (path (reduce core) (allreduce node #:shape '(butterfly 3))))
  (on gather
    ((<= bytes 64) (path (gather core) (gather node)))
    (else (path (trace) (gather node #:shape 'chain) (gather core))))
  (on gatherv (path (gather core) (gather node)))
  (on scatter
    ((<= bytes 64) (path (scatter node) (scatter core)))
    (else (path (trace) (scatter core) (scatter node #:shape 'binary))))
  (on scatterv (path (trace) (scatter node #:shape '(k-nomial 3)) (scatter core)))
  (on allgather
    ((<= bytes 64) (path (gather core) (allgather node #:shape '(bruck 3))))
    ((not uniform?) (path (gather core) (gather node)))
    ((<= bytes 512) (path (allgather core) (allgather node)))
    (else (path (trace) (allgather node #:shape 'neighbour-exchange) (allgather core))))
  (on allgatherv
    (uniform? (path (allgather node #:shape 'butterfly) (allgather core)))
    (else (path (gather core) (allgather node #:shape 'pairwise))))
  (on alltoall
    ((<= bytes 64) (path (gather core) (alltoall node)))
    ((not uniform?) (path (gather core) (gather node)))
    ((<= bytes 512) (path (trace) (alltoall core) (alltoall node)))
    (else (path (alltoall node #:shape '(bruck 2)) (alltoall core))))
  (on (alltoallv alltoallw)
    (uniform? (path (alltoall node) (alltoall core)))
    (else (path (gather core) (alltoall node #:shape 'pairwise))))
  (on reduce-scatter (path (trace) (reduce core) (reduce-scatter node #:shape 'ring)))
  (on reduce-scatter-block
    (uniform? (path (reduce-scatter core) (reduce-scatter node #:shape 'butterfly)))
    (else (path (reduce core) (reduce node))))
  (on scan
    (consecutive? (path (trace) (scan core) (scan node)))
    (else (path (scan all #:shape '(dissemination 3)))))
  (on exscan
    (consecutive? (path (scan core #:shape 'chain) (scan node #:shape 'butterfly)))
    (else (path (scan all #:shape '(flat 2)))))
  (on (neighbor-allgather neighbor-allgatherv) (path (neighbor core) (neighbor node #:shape '(flat 1))))
  (on (neighbor-alltoall neighbor-alltoallv neighbor-alltoallw) (path (trace) (neighbor node) (neighbor core))))
