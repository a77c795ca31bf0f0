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
  (on allreduce
    ((or (<= bytes 16KiB) (not uniform?))
     (leaders allreduce))
    (else
     (path (trace 'shards)
           (reduce-scatter core)
           (allreduce node #:shape 'ring)))))
