(path-map
  (on scan
    (path (scan all #:shape 'shared))))
