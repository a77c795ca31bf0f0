(path-map
  (on messages
    (near? (path (trace 'near)))
    (else (path (trace 'far) (remote 'shm #:eager 4KiB)))))
