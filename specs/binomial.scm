;; binomial: trees of log2 n rounds over all ranks, whatever their placement.
;; Use it for small and middle messages on one node or on nodes with one rank each; large messages pass
;; through it in pieces, so that the rounds overlap. What has no tree, alltoall and neighbours, stays with the MPI library.
(define (pieces stage)
  (path (trace 'binomial)
        (if (> bytes 64KiB) (segment 64KiB) '())
        (stage all #:shape 'binomial)))

(path-map
  (on barrier   (path (trace 'binomial) (reduce all #:shape 'binomial)))
  (on bcast     (else (pieces bcast)))
  (on reduce    (else (pieces reduce)))
  (on allreduce (else (pieces reduce)))
  (on (gather gatherv)                      (path (trace 'binomial) (gather all #:shape 'binomial)))
  (on (scatter scatterv)                    (path (trace 'binomial) (scatter all #:shape 'binomial)))
  (on (allgather allgatherv)                (path (trace 'binomial) (gather all #:shape 'binomial)))
  (on (reduce-scatter reduce-scatter-block) (path (trace 'binomial) (reduce all #:shape 'binomial)))
  (on (scan exscan)                         (path (trace 'binomial) (scan all #:shape 'binomial))))
