(path-map
  (on messages (path (remote 'auto #:chunk 64KiB))))
