;; prefixes: scans in the memory of nodes, read from all members, from two or along a chain; totals go between groups.
(path-map
  #:grid '(node (core 3))
  (on (reduce reduce-scatter reduce-scatter-block) (path (reduce core #:shape 'shared) (reduce node)))
  (on allreduce (path (reduce core #:shape 'shared) (allreduce node #:shape 'shared)))
  (on scan
    ((not consecutive?) (path (scan all #:shape 'shared)))
    ((<= bytes 64) (path (trace 'whole) (scan core #:shape (shared 2) #:out 'shared) (scan node #:shape 'shared)))
    ((<= bytes 512) (path (trace 'inner) (scan core #:shape 'shared) (scan node)))
    (else (path (remote 'shm #:chunk 64) (scan all #:shape (shared 2)))))
  (on exscan
    ((not consecutive?) (path (scan all #:shape 'shared)))
    ((<= bytes 64) (path (trace 'whole) (scan core #:shape 'shared #:out 'shared) (scan node #:shape (shared 2))))
    ((<= bytes 512) (path (remote 'shm #:chunk 64) (scan core #:shape (shared 2)) (scan node #:shape 'shared)))
    (else (path (remote 'shm #:chunk 128) (scan all #:shape (shared 3))))))
