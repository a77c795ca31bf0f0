;; A map for the test of `waymark show`.
(define (ternary member size)
  (and (> member 0) (quotient (- member 1) 3)))

(path-map
  (on bcast (path (bcast node #:shape 'chain) (bcast core)))
  (on reduce
    (else (path (reduce core #:shape ternary) (reduce node #:shape 'flat))))
  (on allreduce
    ((<= bytes 1KiB)
     (path (trace 'small)
           (reduce core #:shape 'binomial)
           (allreduce node #:shape 'butterfly)))
    ((<= bytes 2KiB) (path (reduce core #:shape (lambda (member size) 0)) (allreduce node)))
    ((<= bytes 3KiB) (path (reduce core #:shape (tree 0 (1 (2)))) (allreduce node)))
    ((<= bytes 1MiB) (path (segment 64KiB #:window 2) (reduce-scatter core) (allreduce node #:shape 'ring)))
    (else (native)))
  (on gather (path (gather core #:shape 'flat) (gather node)))
  (on scatterv (path (scatter node #:shape 'flat) (scatter core)))
  (on allgatherv (path (gather core #:shape 'flat) (allgather node #:shape 'ring)))
  (on (alltoallv alltoallw) (path (alltoall all #:shape 'bruck)))
  (on gatherv (path (gather all #:shape 'flat)))
  (on reduce-scatter (path (reduce-scatter all #:shape 'halving)))
  (on allgather (path (gather core #:shape 'shared) (allgather node)))
  (on barrier (path (trace 'gate) (reduce core #:shape 'shared) (reduce node #:shape 'flat)))
  (on (neighbor-alltoall neighbor-allgatherv) (path (trace 'near-first) (neighbor core) (neighbor node #:shape '(flat 1))))
  (on conveyor
    ((< load 1MiB) (path (trace) (aggregate 8KiB #:buffers 2) (route core node core) (remote 'shm 'mpi)))
    ((< bytes 64) (path (aggregate 4KiB) (route node core) (compress) (synchronous)))
    ((<= bytes 128) (path (aggregate 4KiB) (route node)))
    ((<= bytes 256) (path (route all) (remote 'shm))))
  (on messages
    ((and near? (string=? protocol "mail")) (path (trace 'm) (remote 'shm #:eager 2KiB #:copy 'single)))
    ((string=? protocol "mail") (path (remote 'auto #:rendezvous 'all)))
    ((<= bytes 1KiB) (path (trace 'small) (aggregate 4KiB)))))
