;; ring: shares travel from neighbour to neighbour, n-1 rounds, every link busy all the time.
;; Use it for very large messages and few ranks: it moves the least bytes over each link and needs no
;; partner but the next rank; with many ranks or small messages its rounds cost too much.

;; What gives a rank no more than 1 KiB, or is 64 KiB or less, takes longer so than whole, in a tree.
(define (small?) (<= bytes (max 64KiB (* ranks 1KiB))))

(path-map
  (on barrier (path (trace 'ring) (barrier all)))
  (on bcast
    ((small?) (path (trace 'small) (bcast all)))
    (else   (path (trace 'large) (scatter all #:out 'ring))))
  (on reduce
    ((small?) (path (trace 'small) (reduce all)))
    (else   (path (trace 'large) (reduce-scatter all #:shape 'ring))))
  (on allreduce
    ((small?) (path (trace 'small) (allreduce all)))
    (else   (path (trace 'large) (reduce-scatter all #:shape 'ring))))
  (on (reduce-scatter reduce-scatter-block) (path (trace 'ring) (reduce-scatter all #:shape 'ring)))
  (on (allgather allgatherv)                (path (trace 'ring) (allgather all #:shape 'ring)))
  (on (scan exscan)                         (path (trace 'ring) (scan all #:shape 'chain))))
