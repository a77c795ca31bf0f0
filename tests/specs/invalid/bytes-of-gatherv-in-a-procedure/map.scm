(define (small?)
  (memv bytes '(8 16)))
(path-map
  (on gatherv
    ((> ranks 100) (native))
    ((small?) (native))))
