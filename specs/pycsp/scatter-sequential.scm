;; scatter-sequential: the root sends one block after the other, in rank order. Good where all at once would swamp it.
;; A late rank keeps those behind it waiting, if blocks are so large that the root waits for it.
(path-map
  (on (scatter scatterv) (path (trace 'scatter-sequential) (scatter all #:shape (flat 1)))))
