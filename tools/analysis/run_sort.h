/* Puts runs of records in the order of instances: by communicator, sequence, rank and place in the rank's trace. */
#ifndef WM_RUN_SORT_H
#define WM_RUN_SORT_H

#include "tools/analysis/instance.h"

/* Sort in place. `runs` come in the order of ranks and, within a rank, of `first`, as a walk over the trace finds them.
 * O(count) where sequence numbers are dense, as those of collectives are, else O(count log count). */
void wm_runs_sort(struct wm_trace_run *runs, size_t count);

#endif
