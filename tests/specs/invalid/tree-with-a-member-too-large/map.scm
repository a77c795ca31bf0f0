(path-map
  (on reduce
    (path (reduce all #:shape (tree 0 (1 (99999999999999999999999999)) (2))))))
