/* A rank's pairs of clocks and comparisons of clocks, without damage. */
#include "tracer/syncs.h"

#include <stdlib.h>
#include <string.h>
#include "tracer/file.h"

static const double DRIFT_MAX = 1e-3; /* clocks that drift apart faster are damage */
static const double SLACK_NS = 1000;

/* Room for one more. */
static int grow(void **list, size_t count, size_t *room, size_t item_bytes)
{
    size_t more = *room > 0 ? 2 * *room : 64;
    void *grown;

    if (count < *room)
        return 0;
    if ((grown = realloc(*list, more * item_bytes)) == NULL)
        return -WM_ENOMEM;
    *list = grown;
    *room = more;
    return 0;
}

static int add_pair(struct wm_syncs *syncs, const struct wm_trace_record *record)
{
    if (grow((void **)&syncs->pairs, syncs->pair_count, &syncs->pair_room, sizeof *syncs->pairs) < 0)
        return -WM_ENOMEM;
    syncs->pairs[syncs->pair_count++] = (struct wm_pair){record->time_ticks, record->argument};
    return 0;
}

static bool is_near(const struct wm_trace_rank *rank, uint64_t ticks, uint64_t other)
{
    return (double)(ticks > other ? ticks - other : other - ticks) <= rank->ticks_per_second;
}

static bool is_possible(const struct wm_syncs *syncs, const struct wm_trace_rank *rank,
                        const struct wm_trace_record *record)
{
    return record->peer >= 0 && record->peer < rank->rank && record->flags <= WM_TRACE_SYNC_SAME &&
           syncs->pair_count > 0 && is_near(rank, record->time_ticks, syncs->pairs[syncs->pair_count - 1].ticks);
}

static int add_sync(struct wm_syncs *syncs, const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    if (!is_possible(syncs, rank, record)) {
        syncs->damaged++;
        return 0;
    }
    if (grow((void **)&syncs->syncs, syncs->count, &syncs->room, sizeof *syncs->syncs) < 0)
        return -WM_ENOMEM;
    syncs->syncs[syncs->count++] = (struct wm_sync){.ticks = record->time_ticks,
                                                    .offset_ns = (int64_t)record->argument,
                                                    .half_ns = record->sequence,
                                                    .peer = record->peer,
                                                    .same = record->flags == WM_TRACE_SYNC_SAME};
    return 0;
}

static int take_in(struct wm_syncs *syncs, const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    return record->kind == WM_TRACE_CLOCK  ? add_pair(syncs, record)
           : record->kind == WM_TRACE_SYNC ? add_sync(syncs, rank, record)
                                           : 0;
}

/* A ring that came round may begin behind the pair that stood beside its first comparison; both are kept elsewhere. */
static int take_records(struct wm_syncs *syncs, const struct wm_trace_rank *rank)
{
    const struct wm_trace_record *record;
    bool begun = rank->first == 0;
    int rc = 0;

    for (uint64_t number = 0; rc == 0 && (record = wm_trace_next(rank, &number)) != NULL;) {
        begun = begun || record->kind == WM_TRACE_CLOCK;
        rc = begun ? take_in(syncs, rank, record) : 0;
    }
    return rc;
}

/* Of a full list whose writer was killed the oldest may be half overwritten. */
static int take_kept(struct wm_syncs *syncs, const struct wm_trace_rank *rank)
{
    const struct wm_trace_header *header = rank->mapping;
    uint64_t count = atomic_load_explicit(&header->kept_count, memory_order_acquire);
    uint64_t first = count < WM_TRACE_KEPT_MAX ? 0 : count - WM_TRACE_KEPT_MAX + !rank->closed;
    int rc = 0;

    for (uint64_t i = first; i < count && rc == 0; i++)
        rc = take_in(syncs, rank, &header->kept[i % WM_TRACE_KEPT_MAX]);
    return rc;
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t x = ((const struct wm_pair *)a)->ticks, y = ((const struct wm_pair *)b)->ticks;

    return (x > y) - (x < y);
}

static int compare_syncs(const void *a, const void *b)
{
    uint64_t x = ((const struct wm_sync *)a)->ticks, y = ((const struct wm_sync *)b)->ticks;

    return (x > y) - (x < y);
}

static bool agree(const struct wm_trace_rank *rank, const struct wm_sync *a, const struct wm_sync *b)
{
    double apart_ns = (double)(a->ticks > b->ticks ? a->ticks - b->ticks : b->ticks - a->ticks) * 1e9;
    double change_ns = (double)a->offset_ns - (double)b->offset_ns;

    apart_ns /= rank->ticks_per_second;
    return a->peer == b->peer && a->same == b->same &&
           (change_ns < 0 ? -change_ns : change_ns) <=
               DRIFT_MAX * apart_ns + (double)a->half_ns + (double)b->half_ns + SLACK_NS;
}

/* One that agrees with more than half of them, if there is such a one (Boyer and Moore's vote). */
static size_t find_witness(const struct wm_syncs *syncs, const struct wm_trace_rank *rank)
{
    size_t witness = 0, votes = 0;

    for (size_t i = 0; i < syncs->count; i++) {
        if (votes == 0)
            witness = i;
        if (agree(rank, &syncs->syncs[witness], &syncs->syncs[i]))
            votes++;
        else
            votes--;
    }
    return witness;
}

/* The same record stands in the header page and among the records. */
static void leave_out(struct wm_syncs *syncs, const struct wm_trace_rank *rank)
{
    struct wm_sync witness;
    size_t kept = 0;

    if (syncs->count == 0)
        return;
    witness = syncs->syncs[find_witness(syncs, rank)];
    for (size_t i = 0; i < syncs->count; i++) {
        if (kept > 0 && syncs->syncs[i].ticks == syncs->syncs[kept - 1].ticks)
            continue;
        if (agree(rank, &witness, &syncs->syncs[i]))
            syncs->syncs[kept++] = syncs->syncs[i];
        else
            syncs->damaged++;
    }
    syncs->count = kept;
}

int wm_syncs_gather(struct wm_syncs *syncs, const struct wm_trace_rank *rank)
{
    memset(syncs, 0, sizeof *syncs);
    if (take_kept(syncs, rank) < 0 || take_records(syncs, rank) < 0)
        return -WM_ENOMEM;
    if (syncs->pair_count > 0)
        qsort(syncs->pairs, syncs->pair_count, sizeof *syncs->pairs, compare_pairs);
    if (syncs->count > 0)
        qsort(syncs->syncs, syncs->count, sizeof *syncs->syncs, compare_syncs);
    leave_out(syncs, rank);
    return 0;
}

void wm_syncs_release(struct wm_syncs *syncs)
{
    free(syncs->pairs);
    free(syncs->syncs);
    memset(syncs, 0, sizeof *syncs);
}
