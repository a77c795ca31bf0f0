;; native: every collective by the MPI library itself, recorded by one trace wrapper when a trace is asked for.
;; Use it first: it shows what the program calls, how large, and who is late, before anything is changed,
;; and it is the baseline for every other map.
(path-map
  (on (barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw
       reduce-scatter reduce-scatter-block scan exscan
       neighbor-allgather neighbor-allgatherv neighbor-alltoall neighbor-alltoallv neighbor-alltoallw)
    (path (trace 'native) (native))))
