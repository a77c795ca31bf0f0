;; reduce-parallel: the root receives from all at once, but combines in rank order, as reduce-rank-order does: the same
;; bits each run. Good where all messages have room at the root.
;; When a late rank comes, the others' messages are there already: what is left is to combine it and those behind it.
(path-map
  (on reduce (path (trace 'reduce-parallel) (reduce all #:shape 'flat #:order 'rank))))
