;; arriving: everything is combined as messages come.
(path-map
  (on allreduce
    ((<= bytes 24) (path (allreduce all #:shape (butterfly 5) #:order 'arrival)))
    ((<= bytes 56) (path (allreduce all #:shape (butterfly 4) #:order 'arrival)))
    ((<= bytes 160) (path (reduce all #:shape 'flat #:order 'arrival)))
    (else (path (reduce-scatter all #:shape (butterfly 4) #:order 'arrival)))))
