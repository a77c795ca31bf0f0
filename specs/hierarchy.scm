;; hierarchy: first among the cores of a node, then among the nodes, then back: each message crosses the network once.
;; Use it on several nodes with several ranks each. Small messages go through one leader a node; large ones
;; let every core own a shard and drive the network at once, where all nodes have as many ranks.
(define (leaders stage)
  (path (trace 'leaders) (reduce core) (stage node)))

(path-map
  (on barrier
    (else (leaders barrier)))
  (on bcast
    ((<= bytes 64KiB) (path (trace 'leaders) (bcast node) (bcast core)))
    (else             (path (trace 'pieces) (segment 64KiB) (bcast node) (bcast core))))
  (on reduce
    ((<= bytes 64KiB) (leaders reduce))
    (else             (path (trace 'pieces) (segment 64KiB) (reduce core) (reduce node))))
  ;; Shares of up to 1 KiB for each rank go by halves: a ring would take a round for each node.
  (on allreduce
    ((or (<= bytes 16KiB) (not uniform?))
     (leaders allreduce))
    ((and (> nodes 3) (<= bytes (* ranks 1KiB)))
     (path (trace 'halves)
           (reduce-scatter core)
           (reduce-scatter node #:shape 'halving)))
    (else
     (path (trace 'shards)
           (reduce-scatter core)
           (allreduce node #:shape 'ring))))
  ;; Halving takes few rounds, and moves up to twice as much where nodes are no power of two.
  (on (reduce-scatter reduce-scatter-block)
    ((not uniform?)  (leaders reduce-scatter))
    ((<= bytes 2KiB) (path (trace 'halves) (reduce-scatter core) (reduce-scatter node #:shape 'halving)))
    (else            (path (trace 'shards) (reduce-scatter core) (reduce-scatter node #:shape 'ring))))

  (on (gather gatherv)
    (path (trace 'leaders) (gather core) (gather node)))
  (on (scatter scatterv)
    (path (trace 'leaders) (scatter node) (scatter core)))
  (on (allgather allgatherv)
    ((<= bytes 4KiB) (path (trace 'leaders) (gather core) (allgather node #:shape 'butterfly)))
    (uniform?        (path (trace 'shards) (allgather node #:shape 'ring) (allgather core #:shape 'ring)))
    (else            (path (trace 'ring) (allgather all #:shape 'ring))))

  ;; Blocks for one node travel together while they are small. How large those of alltoallv are need not be known.
  (on alltoall
    ((> bytes 2KiB) (path (trace 'pairs) (alltoall all #:shape 'pairwise)))
    (uniform?       (path (trace 'hops) (alltoall core) (alltoall node)))
    (else           (path (trace 'leaders) (gather core) (alltoall node))))
  (on (alltoallv alltoallw)
    (path (trace 'pairs) (alltoall all #:shape 'pairwise)))

  ;; A scan goes through ranks in their order, whatever nodes they stand on.
  (on (scan exscan)
    (consecutive? (path (trace 'leaders) (scan core) (scan node)))
    (else         (path (trace 'doubling) (scan all))))
  (on (neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (path (trace 'near-first) (neighbor core) (neighbor node))))
