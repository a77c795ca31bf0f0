;; dealt: ranks dealt out to three nodes like cards, one node with more than the others: an operator that does not
;; commute has its order to keep across them.
(path-map
  #:grid '((node (8 0 3) (1 4 6 7) (2 5)) core)
  (on barrier (path (reduce core) (barrier node)))
  (on bcast
    ((<= bytes 256) (path (bcast node) (bcast core)))
    (else (path (trace) (segment 1000) (bcast core) (bcast node))))
  (on reduce
    ((<= bytes 256) (path (reduce core) (reduce node)))
    (else (path (trace) (segment 3KiB #:window 3) (reduce core #:shape 'chain) (reduce node #:shape 'flat))))
  (on allreduce
    ((<= bytes 256) (path (reduce core) (allreduce node)))
    ((<= bytes 4KiB) (path (trace) (reduce core) (reduce node)))
    (else (path (segment 3000) (reduce core) (allreduce node #:shape 'butterfly)))))
