;; recursive-doubling: in log2 n rounds every rank exchanges everything it has with a partner twice as far away.
;; Use it for small messages: it has the fewest rounds that there can be. Operations that have a root go through the
;; binomial tree that it becomes there; alltoall through Bruck's rounds, reduce-scatter through halving, its mirror.
(path-map
  (on barrier   (path (trace 'doubling) (barrier all #:shape 'butterfly)))
  (on bcast     (path (trace 'doubling) (bcast all #:shape 'binomial)))
  (on reduce    (path (trace 'doubling) (reduce all #:shape 'binomial)))
  (on allreduce (path (trace 'doubling) (allreduce all #:shape 'butterfly)))
  (on (gather gatherv)                      (path (trace 'doubling) (gather all #:shape 'binomial)))
  (on (scatter scatterv)                    (path (trace 'doubling) (scatter all #:shape 'binomial)))
  (on (allgather allgatherv)                (path (trace 'doubling) (allgather all #:shape 'butterfly)))
  (on (alltoall alltoallv alltoallw)        (path (trace 'doubling) (alltoall all #:shape 'bruck)))
  (on (reduce-scatter reduce-scatter-block) (path (trace 'doubling) (reduce-scatter all #:shape 'halving)))
  (on (scan exscan)                         (path (trace 'doubling) (scan all #:shape 'butterfly))))
