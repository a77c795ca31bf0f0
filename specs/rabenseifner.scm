;; rabenseifner: shares instead of wholes: reduce-scatter, then allgather or gather; bcast is scatter, then allgather.
;; Use it for messages of some KiB and more, where bytes cost more than rounds: each rank sends and reduces
;; about twice the message whatever their number, in 2 log2 n rounds. Small messages take recursive doubling.
(path-map
  (on barrier (path (trace 'small) (barrier all)))
  (on bcast
    ((<= bytes 8KiB) (path (trace 'small) (bcast all)))
    (else            (path (trace 'large) (scatter all #:out 'butterfly))))
  (on reduce
    ((<= bytes 8KiB) (path (trace 'small) (reduce all)))
    (else            (path (trace 'large) (reduce-scatter all #:shape 'halving))))
  (on allreduce
    ((<= bytes 2KiB) (path (trace 'small) (allreduce all #:shape 'butterfly)))
    (else            (path (trace 'large) (reduce-scatter all #:shape 'halving))))
  (on (reduce-scatter reduce-scatter-block) (path (trace 'shares) (reduce-scatter all #:shape 'halving)))
  (on (allgather allgatherv)                (path (trace 'shares) (allgather all #:shape 'butterfly))))
