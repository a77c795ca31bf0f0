/* The sorting of runs: by counting, twice; each pass keeps the order of equals, and ranks are in order already. */
#include "tools/analysis/run_sort.h"

#include <stdlib.h>
#include <string.h>

static int compare_runs(const void *a, const void *b)
{
    const struct wm_trace_run *x = a, *y = b;

    if (x->communicator != y->communicator)
        return x->communicator < y->communicator ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->rank_index != y->rank_index)
        return x->rank_index < y->rank_index ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static uint32_t key_of(const struct wm_trace_run *run, bool by_communicator)
{
    return by_communicator ? run->communicator : run->sequence;
}

/* From `from` to `to`, by one key, of which none is above `most`. `begins` has room for most + 2 numbers. */
static void place(const struct wm_trace_run *from, struct wm_trace_run *to, size_t count, bool by_communicator,
                  uint32_t most, size_t *begins)
{
    memset(begins, 0, ((size_t)most + 2) * sizeof *begins);
    for (size_t i = 0; i < count; i++)
        begins[(size_t)key_of(&from[i], by_communicator) + 1]++;
    for (size_t key = 0; key < most; key++)
        begins[key + 1] += begins[key];
    for (size_t i = 0; i < count; i++)
        to[begins[key_of(&from[i], by_communicator)]++] = from[i];
}

static uint32_t greatest(const struct wm_trace_run *runs, size_t count, bool by_communicator)
{
    uint32_t most = 0;

    for (size_t i = 0; i < count; i++)
        if (key_of(&runs[i], by_communicator) > most)
            most = key_of(&runs[i], by_communicator);
    return most;
}

void wm_runs_sort(struct wm_trace_run *runs, size_t count)
{
    uint32_t sequence = greatest(runs, count, false), communicator = greatest(runs, count, true);
    uint32_t most = sequence > communicator ? sequence : communicator;
    bool dense = most / 2 < count; /* else counters would take more room than they save time */
    struct wm_trace_run *other = dense ? malloc(count * sizeof *other) : NULL;
    size_t *begins = dense ? malloc(((size_t)most + 2) * sizeof *begins) : NULL;

    if (other != NULL && begins != NULL) {
        place(runs, other, count, false, sequence, begins);
        place(other, runs, count, true, communicator, begins);
    } else if (count > 1) {
        qsort(runs, count, sizeof *runs, compare_runs);
    }
    free(other);
    free(begins);
}
