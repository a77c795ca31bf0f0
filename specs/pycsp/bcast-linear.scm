;; bcast-linear: the root sends to every other rank itself, all sends under way at once. Good for a handful of ranks.
;; A late root keeps all waiting, as in any broadcast; any other late rank keeps nobody waiting but, if the message
;; is so large that its sender waits for it, the root.
(path-map
  (on bcast (path (trace 'bcast-linear) (bcast all #:shape 'flat))))
