;; scatter-parallel: the root sends to all at once. Good for a few ranks, and for any number of large blocks.
;; A late root keeps all waiting; any other late rank at most the root.
(path-map
  (on (scatter scatterv) (path (trace 'scatter-parallel) (scatter all #:shape 'flat))))
