;; What tests/mpi/ways.c sees happen.
(path-map
  (on messages
    ((string=? protocol "short") (path (remote 'auto #:eager (if near? 100 1KiB))))
    ((string=? protocol "waiting") (path (remote 'auto #:rendezvous 'all)))
    ((and (string=? protocol "sized") (<= bytes 64)) (path (remote 'auto #:eager 10B)))
    ((string=? protocol "sized") (path (remote 'auto #:eager 4KiB)))
    ((string=? protocol "by-mpi") (path (remote 'mpi)))
    ((string=? protocol "gathered") (path (aggregate 2KiB) (remote 'mpi)))
    ((string=? protocol "single") (path (remote 'shm 'mpi #:copy 'single)))
    ((string=? protocol "double") (path (remote 'shm 'mpi #:copy 'double)))))
