(path-map
  (on allreduce
    ((and near? (<= bytes 1KiB)) (native))))
