;; wan: two clusters joined by a slow line. Whatever can be done within a cluster is done there; what crosses crosses
;; once each way, in pieces that stay below the size for which MPI asks the other side first.
(path-map
  #:grid '((cluster ("h1" "h2") ("h3" "h4")) node core)
  (on barrier
    (else (path (trace 'barrier) (reduce core) (reduce node) (barrier cluster #:shape 'butterfly))))
  (on bcast
    ((<= bytes 16KiB) (path (trace 'small) (bcast cluster) (bcast node) (bcast core)))
    ((<= bytes 128KiB) (path (trace 'middle) (segment 32KiB) (scatter core) (bcast cluster) (bcast node)))
    (else (path (trace 'large) (segment 64KiB #:window 16) (scatter core) (bcast cluster) (bcast node))))
  (on allreduce
    ((<= bytes 16KiB) (path (trace 'small) (reduce core) (reduce node) (allreduce cluster #:shape 'butterfly)))
    ((<= bytes 128KiB)
     (path (trace 'middle) (reduce-scatter core) (reduce-scatter node) (allreduce cluster #:shape 'butterfly)))
    (else
     (path (trace 'large)
           (segment 128KiB #:window 16)
           (reduce-scatter core)
           (reduce-scatter node)
           (allreduce cluster #:shape 'butterfly)))))
