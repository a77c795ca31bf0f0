;; three-levels: clusters of two nodes of two cores each, in several orders of going in.
(path-map
  #:grid '(cluster (node 2) (core 2))
  (on barrier (path (reduce core) (reduce node) (barrier cluster #:shape 'flat)))
  (on bcast
    ((<= bytes 64) (path (bcast cluster) (bcast node) (bcast core)))
    ((<= bytes 4KiB) (path (trace) (bcast core) (bcast cluster) (bcast node)))
    (else (path (segment 8KiB) (bcast cluster #:shape 'chain) (bcast node) (bcast core))))
  (on reduce
    ((<= bytes 64) (path (reduce core) (reduce node) (reduce cluster)))
    (else (path (trace) (segment 8KiB) (reduce node) (reduce core) (reduce cluster))))
  (on allreduce
    ((and uniform? (<= bytes 256)) (path (reduce-scatter core) (reduce-scatter node) (allreduce cluster)))
    (uniform? (path (trace) (allreduce core) (reduce node) (reduce-scatter cluster)))
    (else (path (reduce core) (reduce node) (allreduce cluster)))))
