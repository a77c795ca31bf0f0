;; barrier-parallel: the first rank hears from all at once, in any order, then tells all at once. Good for a few ranks.
;; When a late rank comes, one message in and n-1 messages out are left.
(path-map
  (on barrier (path (trace 'barrier-parallel) (barrier all #:shape 'flat))))
