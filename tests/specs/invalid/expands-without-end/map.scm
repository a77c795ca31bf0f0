(define-syntax-rule (again x ...) (again x ... x ...))
(path-map
  (on bcast (path (native))))
(again 1)
