;; choices: rules over every fact, some of them native, so that calls of one program take both roads in turns.
(path-map
  (on (barrier bcast)
    ((string=? communicator "MPI_COMM_WORLD") (path (trace 'world) (if (eq? operation 'barrier) (barrier all) (bcast all))))
    ((= ranks 1) (native))
    ((eq? operation 'barrier) (path (reduce all)))
    ((= root 0) (path (bcast all #:shape 'chain)))
    ((odd? root) (path (scatter all)))
    (else (path (trace 'rest) (native))))
  (on reduce
    ((= 0 (modulo bytes 3)) (path (reduce all #:shape 'flat)))
    ((< 100 bytes 5000) (path (trace 'middle) (reduce-scatter all)))
    ((and (not commutative?) (> root 0)) (path (reduce all #:shape 'chain)))
    ((> nodes 1) (path (reduce core) (reduce node)))
    (else (path (reduce all))))
  (on allreduce
    ((not commutative?) (path (trace 'in-order) (reduce all)))
    ((> bytes 10000) (path (allreduce all #:shape 'ring)))
    ((even? ranks) (path (allreduce all)))))
