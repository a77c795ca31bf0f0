(path-map
  (on reduce
    (path (reduce all #:shape (lambda (member size) (modulo (+ member 1) size))))))
