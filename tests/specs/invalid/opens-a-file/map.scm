(define hosts (call-with-input-file "/etc/hosts" read))
(path-map
  (on bcast (path (native))))
