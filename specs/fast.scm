;; fast: shared memory within a node; between nodes one leader of each for small messages, all cores for large ones.
;; Use it on any machine: `waymark run` does where no map is named. What a node's ranks do in shared memory is one
;; step; nonblocking calls, and those whose ranks bring different amounts, go over the same memory message by message.
(path-map
  (on barrier
    ((= nodes 1) (path (trace 'shared) (barrier all #:shape 'shared)))
    (else (path (trace 'leaders) (reduce core #:shape 'shared) (barrier node))))

  (on bcast
    ((= nodes 1) (path (trace 'shared) (bcast all #:shape 'shared)))
    ((<= bytes 64KiB) (path (trace 'leaders) (bcast node) (bcast core #:shape 'shared)))
    (else (path (trace 'pieces) (segment 128KiB) (bcast node) (bcast core #:shape 'shared))))

  (on reduce
    ((= nodes 1) (path (trace 'shared) (reduce all #:shape 'shared)))
    ((<= bytes 64KiB) (path (trace 'leaders) (reduce core #:shape 'shared) (reduce node)))
    (else (path (trace 'pieces) (segment 128KiB) (reduce core #:shape 'shared) (reduce node))))

  (on allreduce
    ((= nodes 1)
     (path (trace 'shared) (allreduce all #:shape 'shared)))
    ((or (<= bytes 16KiB) (not uniform?))
     (path (trace 'leaders) (reduce core #:shape 'shared) (allreduce node)))
    (else
     (path (trace 'shards) (reduce-scatter core #:shape 'shared) (allreduce node #:shape 'ring))))

  (on (reduce-scatter reduce-scatter-block)
    ((= nodes 1) (path (trace 'shared) (reduce-scatter all #:shape 'shared)))
    (uniform? (path (trace 'shards) (reduce-scatter core #:shape 'shared) (reduce-scatter node)))
    (else (path (trace 'leaders) (reduce core #:shape 'shared) (reduce-scatter node))))

  (on gather
    ((= nodes 1) (path (trace 'shared) (gather all #:shape 'shared)))
    (else (path (trace 'leaders) (gather core #:shape 'shared) (gather node))))
  (on scatter
    ((= nodes 1) (path (trace 'shared) (scatter all #:shape 'shared)))
    (else (path (trace 'leaders) (scatter node) (scatter core #:shape 'shared))))

  (on (allgather allgatherv)
    ((= nodes 1) (path (trace 'shared) (allgather all #:shape 'shared)))
    ((<= bytes 4KiB) (path (trace 'leaders) (gather core #:shape 'shared) (allgather node #:shape 'butterfly)))
    (uniform? (path (trace 'shards) (allgather node #:shape 'ring) (allgather core #:shape 'shared)))
    (else (path (trace 'ring) (allgather all #:shape 'ring))))

  ;; Large blocks for everyone keep all cores copying: then one copy is less work than two, by the library where there are
  ;; more than two ranks. Blocks for one node travel together while they are small. How large those of alltoallv are need
  ;; not be known.
  (on alltoall
    ((and (= nodes 1) (or (= ranks 2) (<= bytes 32KiB))) (path (trace 'shared) (alltoall all #:shape 'shared)))
    ((= nodes 1) (path (trace 'native) (native)))
    ((> bytes 2KiB) (path (trace 'pairs) (alltoall all #:shape 'pairwise)))
    (uniform? (path (trace 'hops) (alltoall core #:shape 'shared) (alltoall node)))
    (else (path (trace 'leaders) (gather core #:shape 'shared) (alltoall node))))

  ;; Where the ranks of one node know their own amounts alone, the MPI library has less to do.
  (on gatherv
    ((= nodes 1) (path (trace 'native) (native)))
    (else (path (trace 'leaders) (gather core) (gather node))))
  (on scatterv
    ((= nodes 1) (path (trace 'native) (native)))
    (else (path (trace 'leaders) (scatter node) (scatter core))))
  (on (alltoallv alltoallw)
    ((= nodes 1) (path (trace 'native) (native)))
    (else (path (trace 'pairs) (alltoall all #:shape 'pairwise))))

  ;; A scan goes through ranks in their order, whatever nodes they stand on.
  (on (scan exscan)
    ((= nodes 1) (path (trace 'shared) (scan all #:shape 'shared)))
    (consecutive? (path (trace 'leaders) (scan core #:shape 'shared #:out 'shared) (scan node)))
    (else (path (trace 'doubling) (scan all))))
  (on (neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (path (trace 'near-first) (neighbor core) (neighbor node)))

  ;; Hops and buffers are what the constructor says, or chosen for the machine where it leaves them open.
  (on conveyor (path (trace 'as-made)))

  ;; Nets and limits are what the program says.
  (on messages (path (trace 'as-made))))
