;; segments: small pieces in narrow and wide windows, around each kind of stage, and pieces of one element.
(path-map
  (on barrier (path (barrier all #:shape 'chain)))
  (on bcast
    ((<= bytes 200) (path (segment 1) (bcast all #:shape 'chain)))
    ((<= bytes 4KiB) (path (trace) (segment 100 #:window 63) (bcast all #:shape 'chain)))
    ((<= bytes 64KiB) (path (trace) (segment 8KiB #:window 2) (scatter all)))
    (else (path (segment 32KiB #:window 1) (bcast all))))
  (on reduce
    ((<= bytes 200) (path (segment 1) (reduce all #:shape 'chain)))
    ((<= bytes 4KiB) (path (segment 100 #:window 63) (reduce-scatter all)))
    (else (path (trace) (segment 32KiB #:window 2) (reduce all))))
  (on allreduce
    ((<= bytes 200) (path (segment 8 #:window 1) (reduce all #:shape 'binary)))
    ((<= bytes 4KiB) (path (segment 100 #:window 3) (allreduce all)))
    ((<= bytes 64KiB) (path (trace) (segment 4KiB #:window 5) (reduce-scatter all #:shape 'ring)))
    (else (path (segment 64KiB) (reduce all #:shape 'chain)))))
