(path-map
  (on bcast
    ((let grow ((list '(1))) (grow (append list list)))
     (path (native)))))
