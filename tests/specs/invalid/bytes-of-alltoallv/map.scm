(path-map
  (on (alltoall alltoallv)
    ((or (> ranks 100) (<= bytes 2KiB)) (native))))
