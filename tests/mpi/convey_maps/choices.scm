;; choices: rules by all that is known of a conveyor; some runs of one conveyor fall under one, some under another.
(path-map
  (on conveyor
    ((string=? communicator "items") (path (aggregate 64 #:buffers 1) (route all) (remote 'mpi)))
    ((= ranks 1) (path (route all)))
    ((= 0 (modulo bytes 3)) (path (aggregate 1000 #:buffers 2 #:flush 'steady) (route core node)))
    ((> load 5000) (path (aggregate 8KiB #:buffers 8) (route all)))
    (else (path (trace) (route node core) (compress 'lz4)))))
