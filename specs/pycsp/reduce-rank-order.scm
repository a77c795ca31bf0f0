;; reduce-rank-order: the root takes one message after the other, in rank order from its own on, and combines them so.
;; Good where sums shall have the same bits each run and there is room for one message only.
;; A late rank holds up all those behind it, whose messages are then still to be taken: the lower it is, the more.
(path-map
  (on reduce (path (trace 'reduce-rank-order) (reduce all #:shape (flat 1) #:order 'rank))))
