(path-map
  (on neighbor-allgather
    (path (neighbor all #:shape 'shared))))
