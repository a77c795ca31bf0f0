;; three-levels: an axis a hop, in several orders, within shared memory.
(path-map
  #:grid '(cluster (node 2) (core 2))
  (on conveyor
    ((= bytes 0) (path (aggregate 100) (route core node cluster)))
    ((<= bytes 8) (path (trace) (aggregate 500 #:buffers 1) (route cluster node core)))
    ((<= bytes 64) (path (aggregate 1KiB #:buffers 3) (route node core cluster)))
    (else (path (aggregate 3000) (route cluster core node) (compress)))))
