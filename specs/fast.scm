;; fast: shared memory within a node; between nodes one leader of each for small messages, all cores for large ones;
;; between clusters of nodes, which Waymark finds out at the start, data once, in shares side by side where it is large:
;; each connection over a long line is slow to begin with.
;; Use it on any machine: `waymark run` does where no map is named. What a node's ranks do in shared memory is one
;; step; nonblocking calls, and those whose ranks bring different amounts, go over the same memory message by message.
(path-map
  (on barrier
    ((= nodes 1) (path (trace 'shared) (barrier all #:shape 'shared)))
    ((= clusters 1) (path (trace 'leaders) (reduce core #:shape 'shared) (barrier node)))
    (else (path (trace 'clusters) (reduce core #:shape 'shared) (reduce node) (barrier cluster))))

  (on bcast
    ((= nodes 1) (path (trace 'shared) (bcast all #:shape 'shared)))
    ((and (= clusters 1) (<= bytes 64KiB)) (path (trace 'leaders) (bcast node) (bcast core #:shape 'shared)))
    ((= clusters 1) (path (trace 'pieces) (segment 128KiB) (bcast node) (bcast core #:shape 'shared)))
    ((<= bytes 16KiB) (path (trace 'clusters) (bcast cluster) (bcast node) (bcast core #:shape 'shared)))
    ((and uniform? (<= bytes 256KiB)) (path (trace 'cluster-shards) (scatter core) (scatter node) (bcast cluster)))
    (else (path (trace 'clusters) (segment 128KiB) (bcast cluster) (bcast node) (bcast core #:shape 'shared))))

  (on reduce
    ((= nodes 1) (path (trace 'shared) (reduce all #:shape 'shared)))
    ((and (= clusters 1) (<= bytes 64KiB)) (path (trace 'leaders) (reduce core #:shape 'shared) (reduce node)))
    ((= clusters 1) (path (trace 'pieces) (segment 128KiB) (reduce core #:shape 'shared) (reduce node)))
    ((<= bytes 16KiB) (path (trace 'clusters) (reduce core #:shape 'shared) (reduce node) (reduce cluster)))
    ((and uniform? (<= bytes 256KiB))
     (path (trace 'cluster-shards) (reduce-scatter core #:shape 'shared) (reduce-scatter node) (reduce cluster)))
    (else (path (trace 'clusters) (segment 128KiB) (reduce core #:shape 'shared) (reduce node) (reduce cluster))))

  ;; Shares of up to 1 KiB for each rank go by halves: a ring would take a round for each node.
  (on allreduce
    ((= nodes 1)
     (path (trace 'shared) (allreduce all #:shape 'shared)))
    ((and (= clusters 1) (or (<= bytes 16KiB) (not uniform?)))
     (path (trace 'leaders) (reduce core #:shape 'shared) (allreduce node)))
    ((and (= clusters 1) (> nodes 3) (<= bytes (* ranks 1KiB)))
     (path (trace 'halves) (reduce-scatter core #:shape 'shared) (reduce-scatter node #:shape 'halving)))
    ((= clusters 1)
     (path (trace 'shards) (reduce-scatter core #:shape 'shared) (allreduce node #:shape 'ring)))
    ((or (<= bytes 16KiB) (not uniform?))
     (path (trace 'clusters) (reduce core #:shape 'shared) (reduce node) (allreduce cluster)))
    (else
     (path (trace 'cluster-shards) (reduce-scatter core #:shape 'shared) (reduce-scatter node) (allreduce cluster))))

  ;; Halving takes few rounds, and moves up to twice as much where nodes are no power of two. Of many ranks a node
  ;; large blocks are combined once, on their way round all.
  (on (reduce-scatter reduce-scatter-block)
    ((= nodes 1) (path (trace 'shared) (reduce-scatter all #:shape 'shared)))
    ((and (= clusters 1) consecutive? (> ranks (* 4 nodes)) (> bytes (min 128KiB (* nodes 4KiB))))
     (path (trace 'ring) (reduce-scatter all #:shape 'ring)))
    ((and (= clusters 1) uniform? (or (<= nodes 16) (<= bytes 2KiB)))
     (path (trace 'halves) (reduce-scatter core #:shape 'shared) (reduce-scatter node #:shape 'halving)))
    ((and (= clusters 1) uniform?)
     (path (trace 'shards) (reduce-scatter core #:shape 'shared) (reduce-scatter node #:shape 'ring)))
    ((= clusters 1) (path (trace 'leaders) (reduce core #:shape 'shared) (reduce-scatter node)))
    (uniform?
     (path (trace 'cluster-shards) (reduce-scatter core #:shape 'shared) (reduce-scatter node) (reduce-scatter cluster)))
    (else (path (trace 'clusters) (reduce core #:shape 'shared) (reduce node) (reduce-scatter cluster))))

  ;; Large blocks go straight: who passes them on would have to have them first. A root on one cluster asks few at once.
  (on gather
    ((= nodes 1) (path (trace 'shared) (gather all #:shape 'shared)))
    ((and (= clusters 1) (> bytes (if (> ranks 128) 64KiB 8KiB)))
     (path (trace 'few-at-once) (gather all #:shape '(flat 8))))
    ((= clusters 1) (path (trace 'leaders) (gather core #:shape 'shared) (gather node)))
    ((<= bytes 2KiB) (path (trace 'clusters) (gather core #:shape 'shared) (gather node) (gather cluster)))
    (else (path (trace 'straight) (gather all #:shape 'flat))))
  (on scatter
    ((= nodes 1) (path (trace 'shared) (scatter all #:shape 'shared)))
    ((> bytes 2KiB) (path (trace 'straight) (scatter all #:shape 'flat)))
    ((= clusters 1) (path (trace 'leaders) (scatter node) (scatter core #:shape 'shared)))
    (else (path (trace 'clusters) (scatter cluster) (scatter node) (scatter core #:shape 'shared))))

  ;; Of many ranks a node large blocks go from neighbour to neighbour: then each rank copies them once.
  (on (allgather allgatherv)
    ((= nodes 1) (path (trace 'shared) (allgather all #:shape 'shared)))
    ((and (= clusters 1) consecutive? (> ranks (* 4 nodes)) (> bytes 128KiB))
     (path (trace 'ring) (allgather all #:shape 'ring)))
    ((and (= clusters 1) consecutive? (> ranks (* 4 nodes)) (> bytes 16KiB))
     (path (trace 'neighbours) (allgather all #:shape 'neighbour-exchange)))
    ((and (= clusters 1) (<= bytes 64KiB))
     (path (trace 'leaders) (gather core #:shape 'shared) (allgather node #:shape 'butterfly)))
    ((and (= clusters 1) uniform?)
     (path (trace 'shards) (allgather node #:shape 'ring) (allgather core #:shape 'shared)))
    ((= clusters 1) (path (trace 'ring) (allgather all #:shape 'ring)))
    ((or (<= bytes 4KiB) (not uniform?))
     (path (trace 'clusters) (gather core #:shape 'shared) (gather node) (allgather cluster #:shape 'butterfly)))
    (else
     (path (trace 'cluster-shards) (allgather cluster #:shape 'ring) (allgather node #:shape 'ring)
           (allgather core #:shape 'shared))))

  ;; Large blocks for everyone keep all cores copying: then one copy is less work than two, by the library where
  ;; there are more than two ranks. Blocks for one node travel together while they are small, the smallest by way of
  ;; other nodes where there are many; larger ones straight, all at once while they are eager, some at once, the
  ;; largest in rounds of pairs, unless a round would wait for a far cluster.
  (on alltoall
    ((and (= nodes 1) (or (= ranks 2) (<= bytes 32KiB))) (path (trace 'shared) (alltoall all #:shape 'shared)))
    ((= nodes 1) (path (trace 'native) (native)))
    ((and (> bytes 64KiB) (= clusters 1)) (path (trace 'pairs) (alltoall all #:shape 'pairwise)))
    ((and (> bytes 512) (<= bytes 1KiB) (= clusters 1)) (path (trace 'at-once) (alltoall all #:shape 'flat)))
    ((> bytes (if (= clusters 1) 512 2KiB)) (path (trace 'straight) (alltoall all #:shape '(flat 32))))
    ((and (= clusters 1) uniform? (> nodes 16) (<= bytes 64))
     (path (trace 'bruck) (alltoall core #:shape 'shared) (alltoall node #:shape '(bruck 8))))
    ((and (= clusters 1) uniform?) (path (trace 'hops) (alltoall core #:shape 'shared) (alltoall node)))
    ((= clusters 1) (path (trace 'leaders) (gather core #:shape 'shared) (alltoall node)))
    (uniform? (path (trace 'clusters) (alltoall core #:shape 'shared) (alltoall node) (alltoall cluster)))
    (else (path (trace 'clusters) (gather core #:shape 'shared) (gather node) (alltoall cluster))))

  ;; Where the ranks of one node know their own amounts alone, the MPI library has less to do.
  (on gatherv
    ((= nodes 1) (path (trace 'native) (native)))
    ((= clusters 1) (path (trace 'leaders) (gather core) (gather node)))
    (else (path (trace 'clusters) (gather core) (gather node) (gather cluster))))
  (on scatterv
    ((= nodes 1) (path (trace 'native) (native)))
    ((= clusters 1) (path (trace 'straight) (scatter all #:shape 'flat)))
    (else (path (trace 'clusters) (scatter cluster) (scatter node) (scatter core))))
  (on (alltoallv alltoallw)
    ((= nodes 1) (path (trace 'native) (native)))
    (else (path (trace 'straight) (alltoall all #:shape '(flat 32)))))

  ;; A scan goes through ranks in their order, whatever nodes they stand on. No rank waits for later ones, so that calls
  ;; in a row overlap; few ranks do least along a chain. Where neighbours are in different clusters, a chain would go
  ;; over the long line again and again, and an exchange goes once.
  (on (scan exscan)
    ((= nodes 1) (path (trace 'shared) (scan all #:shape 'shared)))
    ((and consecutive? (= clusters 1))
     (path (trace 'leaders) (scan core #:shape 'shared #:out 'shared) (scan node #:shape 'dissemination)))
    ((and (> clusters 1) (not consecutive?) (<= bytes 128KiB)) (path (trace 'exchange) (scan all)))
    ((<= ranks 16) (path (trace 'chain) (scan all #:shape 'chain)))
    (consecutive?
     (path (trace 'clusters)
           (scan core #:shape 'shared #:out 'shared)
           (scan node #:shape 'dissemination)
           (scan cluster #:shape 'dissemination)))
    (else (path (trace 'doubling) (scan all #:shape 'dissemination))))
  (on (neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (path (trace 'near-first) (neighbor core) (neighbor node)))

  ;; Hops and buffers are what the constructor says, or chosen for the machine where it leaves them open.
  (on conveyor (path (trace 'as-made)))

  ;; Nets and limits are what the program says.
  (on messages (path (trace 'as-made))))
