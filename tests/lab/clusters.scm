;; clusters: the two clusters of the lab by the names of their hosts; the link between them is crossed once each way.
(path-map
  #:grid '((cluster ("h1" "h2") ("h3" "h[4-9]")) node core)
  (on barrier
    (else (path (reduce core) (reduce node) (barrier cluster #:shape 'butterfly))))
  (on bcast
    ((<= bytes 1KiB) (path (trace 'small) (bcast cluster) (bcast node) (bcast core)))
    (uniform?        (path (scatter core) (bcast cluster) (bcast node)))
    (else            (path (segment 8KiB) (bcast cluster) (bcast node) (bcast core))))
  (on reduce
    ((<= bytes 1KiB) (path (reduce core) (reduce node) (reduce cluster)))
    (else            (path (trace 'large) (segment 8KiB) (reduce core) (reduce node) (reduce cluster))))
  (on allreduce
    ((<= bytes 1KiB) (path (reduce core) (reduce node) (allreduce cluster)))
    (uniform?        (path (reduce-scatter core) (reduce-scatter node) (allreduce cluster)))
    (else            (path (trace 'large) (reduce core) (reduce node) (allreduce cluster)))))
