/* The clusters of the job's hosts: found at the start by the round trips between them, and told to all ranks. */
#ifndef WM_HOST_CLUSTERS_H
#define WM_HOST_CLUSTERS_H

#include "core/error.h"

/* Fill in the clusters of wm_process.places, whose nodes are known, where the job's map names clusters and declares no
 * grid, there are three hosts or more, and the settings do not forbid it: of the levels that are found that with the
 * largest step, if it is at least three times as far from cluster to cluster as within one, and 0.2 ms there and back.
 * Where it is less, a further stage costs what it saves. Collective over MPI_COMM_WORLD; all ranks get the same
 * clusters. Returns, the same at all ranks, 0, or -WM_ENOMEM or -WM_EMPI with a sentence. */
int wm_host_clusters_find(struct wm_error *error);

#endif
