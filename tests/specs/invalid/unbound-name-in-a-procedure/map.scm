(define (stages axis)
  (list (trace 'stage) (reduce axs)))
(path-map
  (on allreduce (path (stages core) (allreduce node))))
