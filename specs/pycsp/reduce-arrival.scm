;; reduce-arrival: the root receives from all at once and combines as messages come, if the operator commutes. Good
;; where nobody knows who will be late: when the last rank comes, only its own message is left to combine.
;; Sums of floating-point numbers may differ in their last bits from run to run.
(path-map
  (on reduce (path (trace 'reduce-arrival) (reduce all #:shape 'flat #:order 'arrival))))
