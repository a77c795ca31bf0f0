/* Runs: one pass over all ranks' records, and a sort. */
#include "tools/analysis/runs.h"

#include <string.h>
#include "core/search.h"
#include "tools/analysis/run_sort.h"
#include "core/vector.h"

static int compare_names(uint32_t communicator_a, uint32_t sequence_a, uint32_t communicator_b, uint32_t sequence_b)
{
    if (communicator_a != communicator_b)
        return communicator_a < communicator_b ? -1 : 1;
    return (sequence_a > sequence_b) - (sequence_a < sequence_b);
}

static bool is_wanted(const struct wm_runs *runs, const struct wm_trace_run *run)
{
    const struct wm_instance_name *names = runs->wanted;
    size_t at;

    if (names == NULL)
        return true;
    at = WM_COUNT_WHILE(i, runs->wanted_count,
                        compare_names(names[i].communicator, names[i].sequence, run->communicator, run->sequence) < 0);
    return at < runs->wanted_count && names[at].communicator == run->communicator &&
           names[at].sequence == run->sequence;
}

/* The last run is complete: leave it out unless it is wanted. */
static void close_run(struct wm_runs *runs)
{
    if (runs->count > 0 && !is_wanted(runs, &runs->items[runs->count - 1]))
        runs->count--;
}

/* Add the record to the rank's last run, or begin another one. */
static int extend(struct wm_runs *runs, const struct wm_trace_rank *rank, int rank_index, uint64_t number,
                  const struct wm_trace_record *record)
{
    struct wm_trace_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
    uint32_t key = wm_trace_communicator_key(rank, record->communicator);

    if (key == WM_TRACE_NO_COMMUNICATOR) {
        runs->unknown++;
        return 0;
    }
    if (last != NULL && last->rank_index == rank_index && last->communicator == key &&
        last->sequence == record->sequence && number - last->first < UINT32_MAX) {
        last->count = (uint32_t)(number - last->first) + 1;
        return 0;
    }
    close_run(runs);
    if (wm_vector_reserve(&runs->items, &runs->capacity, runs->count + 1, sizeof *runs->items) < 0)
        return -WM_ENOMEM;
    runs->items[runs->count++] = (struct wm_trace_run){key, record->sequence, rank_index, 1, number};
    return 0;
}

static bool of_instance(const struct wm_trace_record *record)
{
    return (record->kind < WM_TRACE_CONVEY_STATE && record->kind != WM_TRACE_CLOCK &&
            record->kind != WM_TRACE_QUESTION) ||
           record->kind == WM_TRACE_WAIT;
}

int wm_runs_find(struct wm_runs *runs, const struct wm_trace *trace, const struct wm_instance_name *wanted,
                 size_t wanted_count,
                 void (*take_other)(void *context, int rank_index, const struct wm_trace_record *record), void *context)
{
    *runs = (struct wm_runs){.wanted = wanted, .wanted_count = wanted_count};
    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];
        const struct wm_trace_record *record;

        for (uint64_t number = 0; (record = wm_trace_next(rank, &number)) != NULL;) {
            if (of_instance(record)) {
                if (extend(runs, rank, i, number - 1, record) < 0)
                    return -WM_ENOMEM;
            } else if (take_other != NULL) {
                take_other(context, i, record);
            }
        }
    }
    close_run(runs);
    if (runs->count > 1)
        wm_runs_sort(runs->items, runs->count);
    return 0;
}

void wm_runs_release(struct wm_runs *runs)
{
    free(runs->items);
    runs->items = NULL;
}

size_t wm_runs_length(const struct wm_runs *runs, size_t first)
{
    const struct wm_trace_run *run = &runs->items[first];
    size_t end = first + 1;

    while (end < runs->count && runs->items[end].communicator == run->communicator &&
           runs->items[end].sequence == run->sequence)
        end++;
    return end - first;
}

size_t wm_runs_search(const struct wm_runs *runs, const struct wm_instance_name *name)
{
    const struct wm_trace_run *items = runs->items;
    size_t at =
        WM_COUNT_WHILE(i, runs->count,
                       compare_names(items[i].communicator, items[i].sequence, name->communicator, name->sequence) < 0);

    return at < runs->count && items[at].communicator == name->communicator && items[at].sequence == name->sequence
               ? at
               : runs->count;
}
