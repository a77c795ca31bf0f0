(path-map
  (on allreduce
    ((case communicator (("solver") #t) (else #f)) (path (allreduce all)))))
