(on bcast (path (native)))
