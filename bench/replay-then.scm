;; A slow network between all ranks, and trees over it: what bench/replay runs, traced, before replay-now.scm.
(define (slowly name . stages)
  (apply path (trace name) (delay 300us #:axis all #:mbit 8000) stages))

(path-map
  (on barrier (else (slowly 'tree (reduce all #:shape 'binomial))))
  (on bcast (else (slowly 'tree (bcast all #:shape 'binomial))))
  (on (allreduce reduce) (else (slowly 'tree (reduce all #:shape 'binomial))))
  (on allgather (else (slowly 'tree (gather all #:shape 'binomial))))
  (on alltoall (else (slowly 'pairs (alltoall all #:shape 'pairwise)))))
