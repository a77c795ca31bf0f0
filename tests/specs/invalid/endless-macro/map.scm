(define-syntax-rule (again x) (again (x)))
(path-map
  (on bcast
    (else (path (again native)))))
