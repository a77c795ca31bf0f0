/* Runs: the records of a trace cut into runs of one rank's records of one instance, in the order of instances. */
#ifndef WM_RUNS_H
#define WM_RUNS_H

#include "tools/analysis/instance.h"
#include "tools/analysis/observer.h"

struct wm_runs {
    size_t count, capacity;
    struct wm_trace_run *items; /* by communicator, sequence, rank, and the order of writing */
    const struct wm_instance_name *wanted;
    size_t wanted_count;
    uint64_t unknown; /* records of unknown communicators */
};

/* Find the runs of a trace, all or those of `wanted` (in the order of communicators and sequences; NULL: all). Records
 * that belong to no instance are shown to `take_other`, unless it is NULL. 0 or -WM_ENOMEM; release in any case. */
int wm_runs_find(struct wm_runs *runs, const struct wm_trace *trace, const struct wm_instance_name *wanted,
                 size_t wanted_count,
                 void (*take_other)(void *context, int rank_index, const struct wm_trace_record *record),
                 void *context);
void wm_runs_release(struct wm_runs *runs);

/* How many runs, from number `first` on, are of the same instance as it. */
size_t wm_runs_length(const struct wm_runs *runs, size_t first);
/* The first run of an instance, or runs->count where there is none. O(log runs). */
size_t wm_runs_search(const struct wm_runs *runs, const struct wm_instance_name *name);

#endif
