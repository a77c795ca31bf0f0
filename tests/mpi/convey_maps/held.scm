;; held: a network that is emulated between nodes of two ranks, over one hop or two, squeezed where the ranks are odd.
(path-map
  #:grid '(node (core 2))
  (on conveyor
    ((odd? ranks) (path (delay 30us #:axis node #:jitter 50%) (aggregate 1KiB) (route all) (compress)))
    (else (path (trace) (delay 30us #:axis node #:mbit 8000) (aggregate 4KiB #:buffers 2) (route core node)))))
