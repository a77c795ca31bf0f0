;; A map for the test of `waymark explain`.
(define (short?) (<= bytes 64KiB))

(path-map
  (on allreduce
    ((and (<= bytes 2KiB)
          commutative?)          ; the butterfly combines in no order
     (path (reduce core) (allreduce node #:shape 'butterfly)))
    ((and (short?) uniform? consecutive?)
     (path (reduce-scatter core) (allreduce node #:shape 'ring)))
    ((= bytes 1MiB) (native))
    (else (path (reduce core) (allreduce node))))
  (on bcast
    ((and (= root 0) (string=? communicator "rows")) (path (bcast all)))
    ((> nodes 2) (path (bcast node) (bcast core))))
  (on (alltoallv gatherv)
    ((<= bytes 1KiB) (native)))
  (on barrier (path (barrier all)))
  (on exscan
    (crowded? (native))
    (else (path (scan all)))))
