;; The network of replay-then.scm, and exchanges over it: what a replay of that trace is held against.
(define (slowly name . stages)
  (apply path (trace name) (delay 300us #:axis all #:mbit 8000) stages))

(path-map
  (on barrier (else (slowly 'rounds (barrier all #:shape 'dissemination))))
  (on bcast (else (slowly 'pieces (scatter all #:out 'ring))))
  (on reduce (else (slowly 'tree (reduce all #:shape 'binomial))))
  (on allreduce
    ((<= bytes 4KiB) (slowly 'rounds (allreduce all #:shape 'butterfly)))
    (else (slowly 'ring (reduce-scatter all #:shape 'ring))))
  (on allgather (else (slowly 'ring (allgather all #:shape 'ring))))
  (on alltoall (else (slowly 'bruck (alltoall all #:shape 'bruck)))))
