;; barrier-binomial: up a binomial tree and down again, 2 log2 n rounds. Good for many ranks.
;; A late leaf has the whole way up before it, the late first rank only the way down.
(path-map
  (on barrier (path (trace 'barrier-binomial) (barrier all #:shape 'binomial))))
