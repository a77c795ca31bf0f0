;; As one that a program writes: 3000 levels.
(define (nested levels) (if (= levels 0) 0 (list 1 (nested (- levels 1)))))
(path-map
  (on reduce
    (path (reduce all #:shape (list 'tree 0 (nested 3000))))))
