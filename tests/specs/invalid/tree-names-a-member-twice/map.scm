(path-map
  (on reduce
    (path (reduce all #:shape (tree 0 (1 (3)) (1))))))
