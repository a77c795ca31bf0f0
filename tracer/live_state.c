/* What a live rank is doing, kept up record by record. */
#include <stdlib.h>
#include <string.h>
#include "tracer/live.h"

static struct wm_live_call *find_call(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    for (int i = 0; i < rank->call_count; i++)
        if (rank->calls[i].communicator == record->communicator && rank->calls[i].sequence == record->sequence)
            return &rank->calls[i];
    return NULL;
}

/* NULL where there is no room: it is counted. */
static struct wm_live_call *begin_call(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    struct wm_live_call *call = &rank->calls[rank->call_count];

    if (rank->call_count == WM_LIVE_CALLS) {
        rank->call_more++;
        return NULL;
    }
    if (rank->call_count++ == 0)
        rank->inside_since_ticks = record->time_ticks;
    memset(call, 0, sizeof *call);
    call->communicator = record->communicator;
    call->sequence = record->sequence;
    call->operation = record->flags;
    call->since_ticks = record->time_ticks;
    call->root = -1;
    return call;
}

static void drop_call(struct wm_live_rank *rank, struct wm_live_call *call, uint64_t ticks)
{
    int behind = rank->call_count - 1 - (int)(call - rank->calls);

    memmove(call, call + 1, (size_t)behind * sizeof *call);
    if (--rank->call_count > 0)
        return;
    if (ticks > rank->inside_since_ticks)
        rank->inside_ticks += ticks - rank->inside_since_ticks;
    rank->idle_since_ticks = ticks;
}

/* Under `segment` a wrapper is entered and left once a piece: that is one call. */
static void end_call(struct wm_live_rank *rank, struct wm_live_call *call, uint64_t ticks)
{
    bool again =
        rank->ended > 0 && rank->ended_communicator == call->communicator && rank->ended_sequence == call->sequence;

    rank->ended += !again;
    rank->ended_communicator = call->communicator;
    rank->ended_sequence = call->sequence;
    drop_call(rank, call, ticks);
}

static int note_came(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    size_t count = rank->came_capacity;
    struct wm_live_came *grown;

    for (size_t i = 0; i < rank->came_count; i++)
        if (rank->came[i].communicator == record->communicator) {
            if (record->sequence > rank->came[i].sequence)
                rank->came[i].sequence = record->sequence;
            return 0;
        }
    if (rank->came_count == count) {
        count = count ? 2 * count : 4;
        grown = realloc(rank->came, count * sizeof *grown);
        if (grown == NULL)
            return -WM_ENOMEM;
        rank->came = grown;
        rank->came_capacity = count;
    }
    rank->came[rank->came_count++] = (struct wm_live_came){record->communicator, record->sequence};
    return 0;
}

static int take_enter(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    struct wm_live_call *call = find_call(rank, record);

    if (rank->unsure && rank->call_count > 0 && call == NULL && rank->calls[0].cut)
        end_call(rank, &rank->calls[0], record->time_ticks); /* its leave was that of an inner wrapper */
    rank->unsure = false;
    if (call == NULL && (call = begin_call(rank, record)) != NULL) {
        call->node = record->node;
        call->root = record->peer;
        call->bytes = record->argument;
    }
    if (call != NULL)
        call->depth++;
    return note_came(rank, record);
}

static int take_leave(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    struct wm_live_call *call = find_call(rank, record);

    if (call == NULL && rank->call_more > 0)
        rank->call_more--;
    else if (call != NULL && --call->depth <= 0)
        end_call(rank, call, record->time_ticks);
    return note_came(rank, record);
}

/* The call of an edge or of work; one whose enter was not seen begins with it. */
static struct wm_live_call *call_within(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    struct wm_live_call *call = find_call(rank, record);

    if (call != NULL || !rank->unsure)
        return call;
    call = begin_call(rank, record);
    if (call != NULL) {
        call->cut = true;
        call->depth = 1;
    }
    return call;
}

static int take_work(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    call_within(rank, record);
    return note_came(rank, record);
}

static void drop_edge(struct wm_live_call *call, bool receive, int32_t peer, uint32_t number)
{
    for (int i = 0; i < call->edge_count; i++) {
        struct wm_live_edge *edge = &call->edges[i];

        if (edge->receive != receive || edge->peer != peer || edge->number != number)
            continue;
        memmove(edge, edge + 1, (size_t)(--call->edge_count - i) * sizeof *edge);
        return;
    }
    call->edge_more -= call->edge_more > 0;
}

static int take_edge(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    bool receive = record->kind == WM_TRACE_RECV_POST || record->kind == WM_TRACE_RECV_DONE;
    bool post = record->kind == WM_TRACE_RECV_POST || record->kind == WM_TRACE_SEND_POST;
    struct wm_live_call *call = call_within(rank, record);
    uint32_t number = (uint32_t)(record->argument >> 40);

    if (call != NULL && !post)
        drop_edge(call, receive, record->peer, number);
    else if (call != NULL && call->edge_count == WM_LIVE_EDGES)
        call->edge_more++;
    else if (call != NULL)
        call->edges[call->edge_count++] = (struct wm_live_edge){
            receive, record->peer, number, record->node, record->argument & 0xffffffffffu, record->time_ticks};
    return note_came(rank, record);
}

/* A call that waits for its path has not been entered. */
static int take_ask(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    struct wm_trace_record last = *record;
    struct wm_live_call *call;

    last.sequence--; /* of the calls that were begun */
    call = find_call(rank, &last);
    if (record->sequence == 0)
        return 0;
    if (record->argument == 0 && call != NULL && call->asking)
        drop_call(rank, call, record->time_ticks);
    if (record->argument != 0 && call == NULL && (call = begin_call(rank, &last)) != NULL)
        call->asking = true;
    return note_came(rank, &last);
}

static int take_mark(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    rank->marked = true;
    rank->mark = (uint32_t)record->argument;
    rank->mark_ticks = record->time_ticks;
    return 0;
}

/* What is not recorded any more would seem to last for ever. */
static int take_level(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    rank->level = (enum wm_trace_level)(record->flags <= WM_TRACE_DETAIL ? record->flags : WM_TRACE_DETAIL);
    for (int i = 0; i < rank->call_count; i++)
        rank->calls[i].edge_count = rank->calls[i].edge_more = 0;
    if (rank->level != WM_TRACE_OFF)
        return 0;
    wm_live_forget(rank);
    rank->gaps++;
    return 0;
}

static int take_conveyor(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    enum { WORKING = 1, CLEANUP = 3 };

    rank->conveyor_state = record->flags >= WORKING && record->flags <= CLEANUP ? record->flags : 0;
    rank->conveyor = record->communicator;
    rank->conveyor_run = record->sequence;
    rank->conveyor_ticks = record->time_ticks;
    return 0;
}

static void lower(int64_t *count, int64_t by)
{
    *count = *count > by ? *count - by : 0;
}

static int take_message(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    struct wm_live_queues *queues = &rank->queues;
    int64_t *posted = record->flags != 0 ? &queues->receiving : &queues->sending;
    bool copied = record->flags == WM_TRACE_MET_COPY;

    if (record->kind == WM_TRACE_MESSAGE_POST) {
        ++*posted;
    } else if (record->kind == WM_TRACE_MESSAGE_DONE) {
        lower(posted, 1);
    } else if (record->kind == WM_TRACE_MESSAGE_KEPT) {
        queues->kept++;
        queues->held_bytes += copied ? (int64_t)(record->argument & 0xffffffffffu) : 0;
    } else if (record->flags != WM_TRACE_MET_EXPECTED) {
        lower(&queues->kept, 1);
        lower(&queues->held_bytes, copied ? record->sequence : 0);
    }
    return 0;
}

/* One whose begin was not seen begins with its region. */
static struct wm_live_superblock *superblock_of(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    struct wm_live_superblock *all = rank->superblocks;
    bool begins = record->flags == WM_TRACE_REGION_BEGIN;

    if (!begins && rank->superblock_count > 0 && all[rank->superblock_count - 1].number == record->communicator)
        return &all[rank->superblock_count - 1];
    if (!begins)
        rank->superblock_count = 0;
    if (rank->superblock_count == WM_LIVE_SUPERBLOCKS)
        memmove(all, all + 1, (size_t)--rank->superblock_count * sizeof *all);
    all[rank->superblock_count] = (struct wm_live_superblock){.number = record->communicator};
    return &all[rank->superblock_count++];
}

static int take_region(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    if (record->flags >= WM_TRACE_REGION_IDLE)
        return 0;
    rank->region_ticks = record->time_ticks;
    if (record->flags != WM_TRACE_REGION_END)
        superblock_of(rank, record)->place = (enum wm_trace_region)record->flags;
    else if (rank->superblock_count > 0)
        rank->superblock_count--;
    return 0;
}

int wm_live_take(struct wm_live_rank *rank, const struct wm_trace_record *record)
{
    static int (*const takers[WM_TRACE_KIND_COUNT])(struct wm_live_rank *, const struct wm_trace_record *) = {
        [WM_TRACE_ENTER] = take_enter,
        [WM_TRACE_LEAVE] = take_leave,
        [WM_TRACE_SEND_POST] = take_edge,
        [WM_TRACE_SEND_DONE] = take_edge,
        [WM_TRACE_RECV_POST] = take_edge,
        [WM_TRACE_RECV_DONE] = take_edge,
        [WM_TRACE_REDUCE] = take_work,
        [WM_TRACE_COPY] = take_work,
        [WM_TRACE_SHARED] = take_work,
        [WM_TRACE_MARK] = take_mark,
        [WM_TRACE_LEVEL] = take_level,
        [WM_TRACE_CONVEY_STATE] = take_conveyor,
        [WM_TRACE_ASK] = take_ask,
        [WM_TRACE_MESSAGE_POST] = take_message,
        [WM_TRACE_MESSAGE_KEPT] = take_message,
        [WM_TRACE_MESSAGE_MATCH] = take_message,
        [WM_TRACE_MESSAGE_DONE] = take_message,
        [WM_TRACE_REGION] = take_region,
    };

    if (record->kind >= WM_TRACE_KIND_COUNT)
        return 0;
    if (record->time_ticks > rank->last_ticks)
        rank->last_ticks = record->time_ticks;
    if (record->kind == WM_TRACE_CLOCK || record->kind == WM_TRACE_SYNC)
        return 0;
    if (record->time_ticks > rank->progress_ticks)
        rank->progress_ticks = record->time_ticks;
    return takers[record->kind] != NULL ? takers[record->kind](rank, record) : 0;
}

void wm_live_forget(struct wm_live_rank *rank)
{
    if (rank->call_count > 0) {
        if (rank->last_ticks > rank->inside_since_ticks)
            rank->inside_ticks += rank->last_ticks - rank->inside_since_ticks;
        rank->idle_since_ticks = rank->last_ticks;
    }
    rank->call_count = rank->call_more = 0;
    rank->came_count = 0; /* it may have come to more */
    rank->queues = (struct wm_live_queues){0};
    rank->superblock_count = 0;
    rank->unsure = true;
}
