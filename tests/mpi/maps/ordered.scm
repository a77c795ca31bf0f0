;; ordered: every reduction in one order, so that floating-point sums have the same bits in each run.
(path-map
  #:grid '(node (core 2))
  (on reduce
    ((<= bytes 1KiB) (path (reduce core #:order 'rank) (reduce node #:order 'rank)))
    (else (path (reduce all #:shape 'flat #:order 'rank))))
  (on allreduce
    ((<= bytes 256) (path (allreduce all #:order 'rank)))
    ((<= bytes 2KiB) (path (reduce core #:order 'rank) (allreduce node #:order 'rank)))
    ((<= bytes 10KiB) (path (trace) (segment 1KiB) (reduce all #:shape 'flat #:order 'rank)))
    (else (path (reduce-scatter all #:shape 'flat #:order 'rank)))))
