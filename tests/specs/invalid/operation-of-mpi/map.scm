(path-map
  (on MPI_Ireduce_scatter_block
    (path (reduce-scatter all))))
