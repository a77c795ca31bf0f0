;; barrier-sequential: the first rank hears from the others one after the other, then tells them one after the other.
;; Good as the yardstick: 2(n-1) messages in a row.
;; A late rank holds up the hearing of all behind it, and the telling of everyone.
(path-map
  (on barrier (path (trace 'barrier-sequential) (barrier all #:shape (flat 1)))))
