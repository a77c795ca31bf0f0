(define (mine) 0)
(path-map
  (on allreduce
    (path (reduce all #:shape mine))))
