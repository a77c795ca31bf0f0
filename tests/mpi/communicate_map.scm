;; Statements by their names, by who knows of them, and by how much they are.
(path-map
  (on (statement "cast") (path (trace 'cast) (via messages)))
  (on (statement "ring")
    ((> bytes 8) (path (via collective)))
    (else (path (trace 'ring) (remote 'mpi))))
  (on statement
    ((and (string=? knowledge "sender") (> items 100)) (path (trace 'many) (remote 'shm 'mpi #:rendezvous 'all)))
    (else (path (trace 'all)))))
