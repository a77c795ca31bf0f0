;; bcast-binomial: who has the data passes it on to ever nearer ranks, log2 n rounds. Good for many ranks.
;; A late rank keeps those below it waiting: half of all ranks if it is the root's first child, nobody if it is a leaf.
(path-map
  (on bcast (path (trace 'bcast-binomial) (bcast all #:shape 'binomial))))
