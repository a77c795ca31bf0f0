;; allreduce-two-phase: reduce to the first rank, then broadcast, each along a binomial tree: 2 log2 n rounds, 2(n-1)
;; messages. Good for many ranks where messages are dear.
;; A late leaf has both ways before it; the late first rank only the broadcast.
(path-map
  (on allreduce (path (trace 'allreduce-two-phase) (reduce all #:shape 'binomial))))
