;; reduce-chain: from neighbour to neighbour, each combining what comes with its own. Good for large messages in pieces
;; (put a segment before it), where every link and every processor works at the same time; n-1 rounds if in one.
;; A late rank holds up all between it and the root, and then their rounds are still to go.
(path-map
  (on reduce (path (trace 'reduce-chain) (reduce all #:shape 'chain))))
