;; subranks: small data through the memory that ranks share; else the ranks of a process first, then one of each process.
;; Use it for several ranks in a process, and as a beginning of a map for them: without a map they go by these paths.
(path-map
  #:grid '(process sibling)
  (on barrier
    ((= nodes 1) (path (reduce sibling #:shape 'shared) (barrier process #:shape 'shared)))
    (else        (path (reduce sibling) (barrier process))))
  (on bcast
    ((and (= nodes 1) (<= bytes 2KiB)) (path (bcast all #:shape 'shared)))
    (else                              (path (bcast process) (bcast sibling))))
  (on reduce
    ((and (= nodes 1) (<= bytes 2KiB)) (path (reduce all #:shape 'shared)))
    (else                              (path (reduce sibling) (reduce process))))
  (on allreduce
    ((and (= nodes 1) (<= bytes 2KiB)) (path (reduce sibling #:shape 'shared) (allreduce process #:shape 'shared)))
    (else                              (path (reduce sibling) (allreduce process))))
  (on gather
    ((and (= nodes 1) (<= bytes 2KiB)) (path (gather all #:shape 'shared)))
    (else                              (path (gather sibling) (gather process))))
  (on scatter
    ((and (= nodes 1) (<= bytes 2KiB)) (path (scatter all #:shape 'shared)))
    (else                              (path (scatter process) (scatter sibling))))
  (on gatherv  (path (gather sibling) (gather process)))
  (on scatterv (path (scatter process) (scatter sibling)))
  (on (allgather allgatherv)
    ((and (= nodes 1) (<= bytes 2KiB)) (path (allgather all #:shape 'shared)))
    (else                              (path (gather sibling) (allgather process))))
  (on alltoall
    ((and (= nodes 1) (<= bytes 2KiB)) (path (alltoall all #:shape 'shared)))
    (else                              (path (alltoall all))))
  (on (alltoallv alltoallw) (path (alltoall all)))
  (on (reduce-scatter reduce-scatter-block)
    ((and (= nodes 1) (<= bytes 2KiB)) (path (reduce-scatter all #:shape 'shared)))
    (else                              (path (reduce sibling) (reduce-scatter process))))
  (on (scan exscan)
    ((and (= nodes 1) (<= bytes 2KiB)) (path (scan all #:shape 'shared)))
    (else                              (path (scan all))))
  (on (neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (path (neighbor all))))
