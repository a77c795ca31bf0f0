;; many: each size has a path of its own, so that paths and plans are asked for, thrown out and asked for again.
(define (half) (+ 1 (quotient bytes 2)))

(path-map
  (on bcast (else (path (segment (half)) (bcast all #:shape (if (odd? root) 'chain 'binomial)))))
  (on reduce (else (path (segment (half)) (reduce all))))
  (on allreduce
    (commutative? (path (segment (half)) (reduce all)))
    (else (path (trace) (segment (half)) (allreduce all)))))
