;; flat: one rank talks to every other itself, the root where there is one, else the first; where all have something for
;; all, everyone talks to everyone.
;; Use it for a handful of ranks, or to see what trees are worth: one step deep, but the middle rank
;; sends or receives once for every other.
(path-map
  (on barrier   (path (trace 'flat) (barrier all #:shape 'flat)))
  (on bcast     (path (trace 'flat) (bcast all #:shape 'flat)))
  (on reduce    (path (trace 'flat) (reduce all #:shape 'flat)))
  (on allreduce (path (trace 'flat) (reduce all #:shape 'flat)))
  (on (gather gatherv)                      (path (trace 'flat) (gather all #:shape 'flat)))
  (on (scatter scatterv)                    (path (trace 'flat) (scatter all #:shape 'flat)))
  (on (allgather allgatherv)                (path (trace 'flat) (allgather all #:shape 'flat)))
  (on (alltoall alltoallv alltoallw)        (path (trace 'flat) (alltoall all #:shape 'flat)))
  (on (reduce-scatter reduce-scatter-block) (path (trace 'flat) (reduce-scatter all #:shape 'flat)))
  (on (scan exscan)                         (path (trace 'flat) (scan all #:shape 'flat)))
  (on (neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (path (trace 'flat) (neighbor all #:shape 'flat))))
