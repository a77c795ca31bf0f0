/* A snapshot of all ranks: states, waits, who is stuck. */
#include "tools/top/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include "core/search.h"
#include "waymark/operation.h"
#include "core/vector.h"

const struct wm_top_row *wm_snapshot_find(const struct wm_snapshot *snapshot, int rank)
{
    size_t at = WM_COUNT_WHILE(i, snapshot->count, snapshot->rows[i].rank->rank < rank);

    return at < (size_t)snapshot->count && snapshot->rows[at].rank->rank == rank ? &snapshot->rows[at] : NULL;
}

/* Of a gap or a full quota nothing is known. */
bool wm_snapshot_is_absent(const struct wm_snapshot *snapshot, const struct wm_top_row *row,
                           const struct wm_top_row *other)
{
    const struct wm_live_rank *rank = other->rank;

    (void)snapshot;
    if (!rank->begun || row->call == NULL || row->communicator == WM_TRACE_NO_COMMUNICATOR)
        return false;
    for (size_t i = 0; i < rank->came_count; i++)
        if (wm_trace_communicator_key(other->definition, rank->came[i].communicator) == row->communicator)
            return rank->came[i].sequence < row->call->sequence;
    return rank->gaps == 0 && !(rank->full && rank->offered > rank->capacity);
}

static void await(struct wm_top_row *row, enum wm_await why, int rank)
{
    row->await = why;
    for (int i = 0; i < row->awaited_count; i++)
        if (row->awaited[i] == rank)
            return;
    if (row->awaited_count == WM_AWAITED_MAX) {
        row->awaited_more++;
        return;
    }
    row->awaited[row->awaited_count++] = rank;
}

static const struct wm_trace_communicator *communicator_of(const struct wm_live *live, const struct wm_top_row *row)
{
    return row->communicator < live->definitions->communicator_count
               ? &live->definitions->communicators[row->communicator]
               : NULL;
}

static void await_edges(const struct wm_live *live, struct wm_top_row *row, bool receive)
{
    const struct wm_trace_communicator *communicator = communicator_of(live, row);

    for (int i = 0; i < row->call->edge_count && communicator != NULL; i++) {
        const struct wm_live_edge *edge = &row->call->edges[i];

        if (edge->receive != receive || edge->peer < 0 || edge->peer >= communicator->size)
            continue;
        if (row->edge == NULL)
            row->edge = edge;
        await(row, receive ? WM_AWAIT_MESSAGE : WM_AWAIT_RECEIVER, communicator->ranks[edge->peer]);
    }
}

/* Is a rank in another call of this number on the communicator? */
static bool is_elsewhere(const struct wm_top_row *row, const struct wm_top_row *other)
{
    for (int i = 0; i < other->rank->call_count; i++) {
        const struct wm_live_call *call = &other->rank->calls[i];

        if (call->sequence == row->call->sequence && !call->cut && !call->asking && !row->call->cut &&
            !row->call->asking && wm_trace_communicator_key(other->definition, call->communicator) == row->communicator)
            return call->operation != row->call->operation ||
                   (call->operation != WM_STATEMENT && call->root != row->call->root);
    }
    return false;
}

static void await_match(const struct wm_snapshot *snapshot, struct wm_top_row *row)
{
    for (int i = 0; i < snapshot->count && row->stuck && row->communicator != WM_TRACE_NO_COMMUNICATOR; i++)
        if (is_elsewhere(row, &snapshot->rows[i]))
            await(row, WM_AWAIT_MATCH, snapshot->rows[i].rank->rank);
}

static void await_absent(const struct wm_snapshot *snapshot, struct wm_top_row *row)
{
    const struct wm_trace_communicator *communicator = communicator_of(snapshot->live, row);
    bool down = row->call->operation < WM_OPERATION_COUNT && wm_operation_flow(row->call->operation) == WM_FLOW_DOWN &&
                row->call->root >= 0;

    for (int i = 0; communicator != NULL && i < communicator->size; i++) {
        const struct wm_top_row *other =
            !down || row->call->root == i ? wm_snapshot_find(snapshot, communicator->ranks[i]) : NULL;

        if (other != NULL && other != row && wm_snapshot_is_absent(snapshot, row, other))
            await(row, WM_AWAIT_ABSENT, other->rank->rank);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void find_awaited(const struct wm_snapshot *snapshot, struct wm_top_row *row)
{
    if (row->state != WM_TOP_INSIDE)
        return;
    await_match(snapshot, row);
    if (row->await == WM_AWAIT_NOBODY)
        await_edges(snapshot->live, row, true);
    if (row->await == WM_AWAIT_NOBODY)
        await_absent(snapshot, row);
    if (row->await == WM_AWAIT_NOBODY)
        await_edges(snapshot->live, row, false);
    if (row->await == WM_AWAIT_NOBODY && row->call->asking)
        row->await = WM_AWAIT_MAP;
    qsort(row->awaited, (size_t)row->awaited_count, sizeof row->awaited[0], compare_numbers);
}

/* Of those awaited, one that is no further in a call than to be awaited: else the first. */
static int next_of(const struct wm_snapshot *snapshot, const struct wm_top_row *row)
{
    for (int i = 0; i < row->awaited_count; i++) {
        const struct wm_top_row *other = wm_snapshot_find(snapshot, row->awaited[i]);

        if (other != NULL && (other->state != WM_TOP_INSIDE || other->gone))
            return row->awaited[i];
    }
    return row->awaited[0];
}

static int find_culprit(const struct wm_snapshot *snapshot, const struct wm_top_row *row)
{
    for (int steps = 0; steps <= snapshot->count; steps++) {
        const struct wm_top_row *other;

        if (row->await == WM_AWAIT_MATCH)
            return -1;
        if (row->awaited_count == 0)
            return steps > 0 ? row->rank->rank : -1;
        other = wm_snapshot_find(snapshot, next_of(snapshot, row));
        if (other == NULL)
            return next_of(snapshot, row);
        row = other;
    }
    return -1;
}

static enum wm_top_state state_of(const struct wm_live_rank *rank)
{
    if (!rank->begun)
        return WM_TOP_STARTING;
    if (rank->life == WM_LIFE_CLOSED)
        return WM_TOP_CLOSED;
    if (rank->level == WM_TRACE_OFF)
        return WM_TOP_OFF;
    if (rank->call_count > 0)
        return WM_TOP_INSIDE;
    if (rank->superblock_count > 0)
        return WM_TOP_REGION;
    return rank->conveyor_state != 0 ? WM_TOP_CONVEYOR : WM_TOP_COMPUTING;
}

static uint64_t since_of(const struct wm_top_row *row)
{
    const struct wm_live_rank *rank = row->rank;

    switch (row->state) {
    case WM_TOP_INSIDE:
        return row->call->since_ticks;
    case WM_TOP_CONVEYOR:
        return rank->conveyor_ticks > rank->idle_since_ticks ? rank->conveyor_ticks : rank->idle_since_ticks;
    case WM_TOP_REGION:
        return rank->region_ticks > rank->idle_since_ticks ? rank->region_ticks : rank->idle_since_ticks;
    case WM_TOP_COMPUTING:
        return rank->idle_since_ticks;
    default:
        return rank->last_ticks;
    }
}

static struct wm_top_row row_of(const struct wm_live *live, int index, int64_t stuck_ns)
{
    const struct wm_live_rank *rank = &live->ranks[index];
    struct wm_top_row row = {.rank = rank,
                             .definition = &live->definitions->ranks[index],
                             .state = state_of(rank),
                             .gone = rank->begun && rank->life == WM_LIFE_GONE,
                             .communicator = WM_TRACE_NO_COMMUNICATOR,
                             .culprit = -1};

    if (!rank->begun)
        return row;
    if (row.state == WM_TOP_INSIDE) {
        row.call = &rank->calls[rank->call_count - 1];
        row.communicator = wm_trace_communicator_key(row.definition, row.call->communicator);
    }
    row.since_ns = wm_live_age_ns(rank, since_of(&row));
    row.silent_ns = wm_live_age_ns(rank, rank->progress_ticks);
    row.stuck = row.state == WM_TOP_INSIDE && !row.gone && row.silent_ns >= stuck_ns;
    return row;
}

static struct wm_top_past *past_of(struct wm_snapshot *snapshot, const struct wm_live_rank *rank)
{
    for (size_t i = 0; i < snapshot->past_count; i++) {
        size_t guess = (i + (size_t)rank->rank) % snapshot->past_count; /* mostly its own number */

        if (snapshot->past[guess].rank == rank->rank)
            return &snapshot->past[guess];
    }
    if (wm_vector_reserve(&snapshot->past, &snapshot->past_capacity, snapshot->past_count + 1, sizeof *snapshot->past) <
        0)
        return NULL;
    snapshot->past[snapshot->past_count] = (struct wm_top_past){.rank = rank->rank, .ticks = rank->start_ticks};
    return &snapshot->past[snapshot->past_count++];
}

static int count(struct wm_snapshot *snapshot, struct wm_top_row *row)
{
    struct wm_top_past *past = past_of(snapshot, row->rank);
    int64_t passed_ns, inside_ns = wm_live_inside_ns(row->rank);

    if (past == NULL)
        return -WM_ENOMEM;
    if (row->rank->ended < past->ended || row->rank->now_ticks < past->ticks) /* another run */
        *past = (struct wm_top_past){.rank = row->rank->rank, .ticks = row->rank->start_ticks};
    passed_ns = row->rank->begun ? wm_live_age_ns(row->rank, past->ticks) : 0;
    if (passed_ns > 0) {
        row->share = (double)(inside_ns - past->inside_ns) / (double)passed_ns;
        row->rate = (double)(row->rank->ended - past->ended) * 1e9 / (double)passed_ns;
    }
    row->share = row->share < 0 ? 0 : row->share > 1 ? 1 : row->share;
    *past = (struct wm_top_past){row->rank->rank, row->rank->now_ticks, row->rank->ended, inside_ns};
    snapshot->inside_count += row->state == WM_TOP_INSIDE && !row->gone;
    snapshot->computing_count +=
        (row->state == WM_TOP_COMPUTING || row->state == WM_TOP_CONVEYOR || row->state == WM_TOP_REGION) && !row->gone;
    snapshot->over_count += row->state == WM_TOP_CLOSED;
    snapshot->gone_count += row->gone;
    snapshot->stuck_count += row->stuck;
    return 0;
}

int wm_snapshot_make(struct wm_snapshot *snapshot, const struct wm_live *live, int64_t stuck_ns)
{
    int rc = 0;

    if (wm_vector_reserve(&snapshot->rows, &snapshot->row_capacity, (size_t)live->count, sizeof *snapshot->rows) < 0)
        return -WM_ENOMEM;
    snapshot->live = live;
    snapshot->stuck_ns = stuck_ns;
    snapshot->count = snapshot->inside_count = snapshot->computing_count = 0;
    snapshot->over_count = snapshot->gone_count = snapshot->stuck_count = 0;
    for (int i = 0; i < live->count; i++)
        if (!live->ranks[i].stale)
            snapshot->rows[snapshot->count++] = row_of(live, i, stuck_ns);
    for (int i = 0; i < snapshot->count; i++)
        find_awaited(snapshot, &snapshot->rows[i]);
    for (int i = 0; i < snapshot->count && rc >= 0; i++) {
        snapshot->rows[i].culprit = find_culprit(snapshot, &snapshot->rows[i]);
        rc = count(snapshot, &snapshot->rows[i]);
    }
    return rc;
}

void wm_snapshot_release(struct wm_snapshot *snapshot)
{
    free(snapshot->rows);
    free(snapshot->past);
    *snapshot = (struct wm_snapshot){0};
}
