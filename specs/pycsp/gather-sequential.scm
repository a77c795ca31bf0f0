;; gather-sequential: the root takes one block after the other, in rank order. Good where all at once would swamp it.
;; A late rank keeps those behind it waiting, if their blocks are so large that a sender waits for its receiver; then
;; all of theirs are still to come.
(path-map
  (on (gather gatherv) (path (trace 'gather-sequential) (gather all #:shape (flat 1)))))
