(path-map
  (on bcast
    ((let grow ((list '())) (grow (cons list list)))
     (path (native)))))
