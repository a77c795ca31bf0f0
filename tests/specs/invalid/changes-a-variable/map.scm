(define calls 0)
(path-map
  (on bcast
    ((begin (set! calls (+ calls 1)) (odd? calls))
     (path (native)))))
