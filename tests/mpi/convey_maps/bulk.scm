;; bulk: synchronous conveyors over one hop; elastic ones over two.
(path-map
  #:grid '(node (core 2))
  (on conveyor
    ((<= bytes 64) (path (aggregate 1KiB) (route all) (synchronous)))
    (else (path (aggregate 2KiB) (route node core) (synchronous)))))
