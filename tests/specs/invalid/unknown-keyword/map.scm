(path-map
  (on allreduce
    (path (reduce core #:shap 'flat) (allreduce node))))
