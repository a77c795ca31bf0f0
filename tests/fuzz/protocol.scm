;; What the fuzzers of the protocol begin with: a map whose answers hold every kind of value.
(define (ternary member size) (if (= member 0) #f (quotient (- member 1) 3)))
(path-map
  #:grid '((pod ("node0" "x*") ("*")) (half (0 1) (2 3)) node (core 2))
  (on bcast
    ((and (< 8 bytes 4096) (= root 0))
     (path (trace 'x) (segment 64KiB #:window 3) (remote 'shm #:eager 1KiB) (bcast pod #:shape ternary)
           (bcast half #:shape '(k-nomial 4)) (bcast node) (bcast core #:shape (tree 0 (1))))))
  (on conveyor (path (aggregate 8KiB #:buffers 2) (route pod half node core) (remote 'shm 'mpi)))
  (on allreduce
    ((not commutative?) (path (reduce all #:shape (lambda (m) (if (= m 0) #f 0)))))
    (else (native))))
