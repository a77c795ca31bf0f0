;; flat: one rank talks to every other itself; the root of a bcast or reduce, the first rank of the others.
;; Use it for a handful of ranks, or to see what trees are worth: one step deep, but the middle rank
;; sends or receives once for every other.
(path-map
  (on barrier   (path (trace 'flat) (barrier all #:shape 'flat)))
  (on bcast     (path (trace 'flat) (bcast all #:shape 'flat)))
  (on reduce    (path (trace 'flat) (reduce all #:shape 'flat)))
  (on allreduce (path (trace 'flat) (reduce all #:shape 'flat))))
