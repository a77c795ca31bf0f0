;; synchronous: bulk exchanges for every conveyor, over one hop and over two.
(path-map
  #:grid '(node (core 2))
  (on conveyor
    ((<= bytes 8) (path (aggregate 300) (route all) (synchronous)))
    (else (path (trace) (aggregate 2KiB) (route core node) (synchronous)))))
