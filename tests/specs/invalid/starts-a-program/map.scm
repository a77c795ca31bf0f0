(path-map
  (on bcast
    ((begin (system "touch /tmp/waymark-was-here") #t)
     (path (native)))))
