/* The replay: some instances once more, for observers that did not know before which they would want. */
#include <stdlib.h>
#include <string.h>
#include "tools/analysis/totals.h"
#include "tools/analysis/observer.h"
#include "tools/analysis/runs.h"

static int compare_names(const void *a, const void *b)
{
    const struct wm_instance_name *x = a, *y = b;

    if (x->communicator != y->communicator)
        return x->communicator < y->communicator ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static int show_instance(struct wm_totals *totals, struct wm_instance *instance, const struct wm_runs *runs,
                         const struct wm_instance_name *name)
{
    size_t first = wm_runs_search(runs, name), count;
    int rc = 0;

    if (first == runs->count)
        return 0;
    count = wm_runs_length(runs, first);
    wm_instance_begin(instance, name->communicator, name->sequence);
    for (size_t i = 0; i < count && rc >= 0; i++)
        rc = wm_instance_add(instance, &runs->items[first + i]);
    return rc < 0 ? rc : wm_totals_add(totals, instance);
}

/* The totals of a replay are thrown away: the observer has seen what it wanted. */
static int show_all(struct wm_trace *trace, const struct wm_instance_name *wanted, size_t count,
                    const struct wm_runs *runs, const struct wm_observer *observer)
{
    struct wm_analysis *analysis = calloc(1, sizeof *analysis);
    struct wm_totals *totals = calloc(1, sizeof *totals);
    struct wm_instance instance = {0};
    int rc = -WM_ENOMEM;

    if (analysis != NULL && totals != NULL && wm_totals_init(totals, trace, analysis, observer) == 0 &&
        wm_instance_init(&instance, trace) == 0)
        rc = 0;
    for (size_t i = 0; i < count && rc >= 0; i++)
        rc = show_instance(totals, &instance, runs, &wanted[i]);
    wm_instance_release(&instance);
    if (totals != NULL)
        wm_totals_release(totals);
    free(totals);
    free(analysis);
    return rc;
}

int wm_analysis_replay(struct wm_trace *trace, const struct wm_instance_name *wanted, size_t count,
                       const struct wm_observer *observer)
{
    struct wm_instance_name *sorted = malloc((count + 1) * sizeof *sorted);
    struct wm_runs runs = {0};
    int rc = -WM_ENOMEM;

    if (count == 0) {
        rc = 0;
    } else if (sorted != NULL) {
        memcpy(sorted, wanted, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_names);
        rc = wm_runs_find(&runs, trace, sorted, count, NULL, NULL);
    }
    if (rc >= 0 && count > 0)
        rc = show_all(trace, wanted, count, &runs, observer);
    wm_runs_release(&runs);
    free(sorted);
    return rc;
}
