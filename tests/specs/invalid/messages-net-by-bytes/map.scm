;; What is sent first would be overtaken.
(path-map
  (on messages
    ((<= bytes 1KiB) (path (remote 'shm 'mpi)))
    (else (path (trace 'large) (remote 'mpi)))))
