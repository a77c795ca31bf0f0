;; convey-together: bulk exchanges over one hop and over two.
(path-map
  (on conveyor
    ((<= bytes 16) (path (aggregate 2KiB) (route core node) (synchronous)))
    (else (path (aggregate 4KiB) (route all) (synchronous)))))
