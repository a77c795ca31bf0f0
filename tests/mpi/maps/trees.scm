;; trees: every shape of tree, chosen by size, a procedure and one that looks at the number of ranks among them.
(define (ladder member size) (if (= member 0) #f (quotient (- member 1) 3)))
(define (backwards member size) (if (= member (- size 1)) #f (+ member 1)))

(define (shape)
  (cond ((<= bytes 8) 'flat)
        ((<= bytes 32) 'chain)
        ((<= bytes 64) 'binary)
        ((<= bytes 128) (k-nomial 3))
        ((<= bytes 512) (k-nomial 5))
        ((<= bytes 1KiB) ladder)
        ((<= bytes 4KiB) backwards)
        (else 'binomial)))

(path-map
  (on barrier (path (trace) (barrier all #:shape 'binary)))
  (on bcast (else (path (trace 'any) (bcast all #:shape (shape)))))
  (on reduce (else (path (trace 'any) (reduce all #:shape (shape)))))
  (on allreduce
    (commutative? (path (trace 'any) (reduce all #:shape (shape))))
    (else (path (allreduce all #:shape (shape))))))
