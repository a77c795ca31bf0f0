;; gather-parallel: the root receives from all at once. Good for a few ranks, and for any number of large blocks.
;; A late rank keeps nobody waiting but the root, for which then only its block is left.
(path-map
  (on (gather gatherv) (path (trace 'gather-parallel) (gather all #:shape 'flat))))
