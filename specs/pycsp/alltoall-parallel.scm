;; alltoall-parallel: every rank sends to all and receives from all at once. Good for a few ranks or large blocks.
;; All wait for a late rank, but nothing else: when it comes, only its own blocks are left, each way.
(path-map
  (on (alltoall alltoallv alltoallw) (path (trace 'alltoall-parallel) (alltoall all #:shape 'flat))))
