;; allreduce-merged: both phases in one, without a root: ranks exchange what they have with ever farther partners, log2 n
;; rounds. Good for small messages: half the rounds of two phases, for n log2 n messages.
;; Whoever is late, all have the same log2 n rounds before them when it comes.
(path-map
  (on allreduce (path (trace 'allreduce-merged) (allreduce all #:shape 'butterfly))))
