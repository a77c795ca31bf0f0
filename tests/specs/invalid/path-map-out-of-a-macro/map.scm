(define-syntax-rule (native-map operation)
  (path-map (on operation (path (native)))))
(native-map bcast)
