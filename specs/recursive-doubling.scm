;; recursive-doubling: in log2 n rounds every rank exchanges everything it has with a partner twice as far away.
;; Use it for allreduce and barrier of small messages: it has the fewest rounds that there can be.
;; bcast and reduce, which have a root, go through the binomial tree that it becomes there.
(path-map
  (on barrier   (path (trace 'doubling) (barrier all #:shape 'butterfly)))
  (on bcast     (path (trace 'doubling) (bcast all #:shape 'binomial)))
  (on reduce    (path (trace 'doubling) (reduce all #:shape 'binomial)))
  (on allreduce (path (trace 'doubling) (allreduce all #:shape 'butterfly))))
