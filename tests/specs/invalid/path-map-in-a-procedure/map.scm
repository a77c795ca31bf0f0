(define (install k)
  (path-map
    (on allreduce
      (else (begin (install (+ k 1))
                   (if (even? k) (path (allreduce all)) (path (reduce all #:shape 'chain))))))))
(install 0)
