(if #f
    (path-map
      (on bcast (path (native)))))
