;; No rule looks at the protocol.
(path-map
  (on messages
    ((<= bytes 64) (path (remote 'auto #:eager 10B)))
    (else (path (remote 'auto #:eager (if near? 3KiB 5KiB))))))
