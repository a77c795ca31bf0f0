;; shards: shares by every shape, in and out, and allreduce by each of its own.
(define (reducing)
  (cond ((<= bytes 16) (reduce-scatter all #:shape 'ring #:out 'flat))
        ((<= bytes 64) (reduce-scatter all #:shape 'flat #:out 'halving))
        ((<= bytes 512) (reduce-scatter all #:shape 'halving #:out 'ring))
        (else (reduce-scatter all #:shape 'flat))))

(path-map
  (on barrier (path (reduce all #:shape 'chain)))
  (on bcast
    ((<= bytes 16) (path (scatter all #:shape 'chain #:out 'butterfly)))
    ((<= bytes 64) (path (trace) (scatter all #:shape 'flat #:out 'flat)))
    ((<= bytes 512) (path (scatter all #:shape (k-nomial 3) #:out 'ring)))
    (else (path (scatter all #:shape 'binary #:out 'butterfly))))
  (on reduce (else (path (trace) (reducing))))
  (on allreduce
    ((<= bytes 8) (path (allreduce all #:shape 'ring)))
    ((<= bytes 32) (path (allreduce all #:shape 'halving)))
    ((<= bytes 1KiB) (path (trace) (reducing)))
    (else (path (allreduce all #:shape 'butterfly)))))
