;; one-hop: every pair of ranks has a link; small buffers, so that they are full often.
(path-map
  (on conveyor
    (path (trace) (aggregate 300 #:buffers 2) (route all))))
