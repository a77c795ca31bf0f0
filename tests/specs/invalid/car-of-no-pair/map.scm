(define (first-of list)
  (car list))
(path-map
  (on bcast
    (else
     (path (trace (first-of '()))
           (native)))))
