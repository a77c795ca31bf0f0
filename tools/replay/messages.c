/* The program's own messages: read, and matched. */
#include "tools/replay/messages.h"

#include <stdlib.h>
#include <string.h>

enum { POSTED = 1 << 16 };

static const uint64_t low_bits = (UINT64_C(1) << 40) - 1;

int wm_replay_messages_begin(struct wm_replay_reading *r)
{
    r->posted = calloc(POSTED, sizeof *r->posted);
    return r->posted != NULL ? 0 : -WM_ENOMEM;
}

void wm_replay_messages_end(struct wm_replay_reading *r)
{
    free(r->posted);
    r->posted = NULL;
}

static uint32_t *place_of(const struct wm_replay_reading *r, const struct wm_trace_record *record)
{
    return &r->posted[(record->argument >> 40) % POSTED];
}

static bool is_receive(const struct wm_replay_call *call)
{
    return call->member == 1;
}

static int take_post(struct wm_replay_reading *r, const struct wm_trace_record *record, uint32_t key)
{
    int64_t time_ns = wm_trace_ns(r->rank, record->time_ticks);
    bool receives = (record->flags & WM_TRACE_P2P_RECEIVE) != 0;

    if (receives && r->probed)
        time_ns = r->probe_ns < time_ns ? r->probe_ns : time_ns;
    r->probed = false;
    *place_of(r, record) = (uint32_t)r->calls->call_count + 1;
    return wm_replay_calls_add(r, &(struct wm_replay_call){.communicator = key,
                                                           .sequence = (uint32_t)(record->argument >> 40),
                                                           .member = receives,
                                                           .root = r->member_of[key], /* until they match */
                                                           .node = record->flags,
                                                           .operation = WM_BCAST,
                                                           .peer = record->peer,
                                                           .tag = (int32_t)record->sequence,
                                                           .message = true,
                                                           .posted = true,
                                                           .unseen = true,
                                                           .bytes = record->argument & low_bits,
                                                           .enter_ns = time_ns,
                                                           .wait_ns = time_ns,
                                                           .row_ns = time_ns,
                                                           .leave_ns = time_ns});
}

/* A member's, or NULL. Most often all ranks are there. */
static const struct wm_trace_rank *rank_of(const struct wm_trace *trace, uint32_t key, int member)
{
    const struct wm_trace_communicator *c = &trace->communicators[key];
    int rank = member >= 0 && member < c->size ? c->ranks[member] : -1;

    if (rank >= 0 && rank < trace->rank_count && trace->ranks[rank].rank == rank)
        return &trace->ranks[rank];
    for (int i = 0; rank >= 0 && i < trace->rank_count; i++)
        if (trace->ranks[i].rank == rank)
            return &trace->ranks[i];
    return NULL;
}

/* Does who sends it wait for the receive? */
static bool is_asked_for(const struct wm_replay_reading *r, const struct wm_replay_call *call)
{
    const struct wm_trace_rank *to = rank_of(r->calls->trace, call->communicator, call->peer);
    uint64_t limit;

    if (to == NULL || (call->node & (WM_TRACE_P2P_SYNCHRONOUS | WM_TRACE_P2P_BUFFERED)) != 0)
        return to != NULL && (call->node & WM_TRACE_P2P_SYNCHRONOUS) != 0;
    limit = strcmp(to->host, r->rank->host) == 0 ? r->rank->mpi_eager_bytes : r->rank->mpi_eager_far_bytes;
    return limit > 0 && call->bytes > limit;
}

static int take_done(struct wm_replay_reading *r, const struct wm_trace_record *record)
{
    int64_t time_ns = wm_trace_ns(r->rank, record->time_ticks);
    int64_t begin_ns = time_ns - wm_replay_length(r->rank, record->argument & low_bits);
    uint32_t number = *place_of(r, record);
    struct wm_replay_call *call = number > 0 ? &r->calls->calls[number - 1] : NULL;

    r->probed = (record->flags & WM_TRACE_P2P_PROBE) != 0;
    r->probe_ns = begin_ns;
    if (r->probed || call == NULL || call->sequence != record->argument >> 40 || call->waited)
        return 0;
    *place_of(r, record) = 0;
    call->peer = record->peer;
    call->tag = (int32_t)record->sequence;
    if (!is_receive(call) && !is_asked_for(r, call))
        return 0;
    call->waited = true;
    call->unseen = false;
    call->leave_ns = time_ns;
    call->wait_ns = begin_ns > call->enter_ns && (call->node & WM_TRACE_P2P_BLOCKING) == 0 ? begin_ns : call->enter_ns;
    return wm_replay_calls_add_event(r->calls, 2 * (number - 1) + 1);
}

int wm_replay_messages_take(struct wm_replay_reading *r, const struct wm_trace_record *record, uint32_t key)
{
    return record->kind == WM_TRACE_P2P_POST ? take_post(r, record, key) : take_done(r, record);
}

/* What a send and its receive have in common. */
struct channel {
    uint32_t communicator;
    int32_t source, destination, tag;
};

struct end {
    struct channel channel;
    uint32_t call;
};

static int compare_channels(const struct channel *x, const struct channel *y)
{
    if (x->communicator != y->communicator)
        return x->communicator < y->communicator ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->destination != y->destination)
        return x->destination < y->destination ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    int order = compare_channels(&x->channel, &y->channel);

    return order != 0 ? order : (x->call > y->call) - (x->call < y->call);
}

/* The sends, or the receives, in the order of their channels. */
static size_t list_ends(const struct wm_replay_calls *c, bool receives, struct end *ends)
{
    size_t count = 0;

    for (size_t i = 0; i < c->call_count; i++) {
        const struct wm_replay_call *call = &c->calls[i];
        int here = call->root;

        if (call->message && is_receive(call) == receives)
            ends[count++] = (struct end){
                {call->communicator, receives ? call->peer : here, receives ? here : call->peer, call->tag},
                (uint32_t)i};
    }
    if (count > 0)
        qsort(ends, count, sizeof *ends, compare_ends);
    return count;
}

static void leave_apart(struct wm_replay_calls *c, const struct end *end)
{
    struct wm_replay_call *call = &c->calls[end->call];

    call->dropped = true;
    c->apart++;
    c->apart_ns += call->leave_ns - wm_replay_blocked_ns(call);
}

static void join(struct wm_replay_calls *c, const struct end *send, const struct end *receive, size_t *taken)
{
    struct wm_replay_call *from = &c->calls[send->call], *to = &c->calls[receive->call];
    struct wm_replay_instance *instance = &c->instances[c->instance_count];

    if (to->dropped) { /* nobody waited for it */
        leave_apart(c, send);
        leave_apart(c, receive);
        return;
    }
    *instance = (struct wm_replay_instance){.communicator = from->communicator,
                                            .first = *taken,
                                            .alike = (uint32_t)c->instance_count,
                                            .posted = true,
                                            .message = true};
    to->bytes = from->bytes;
    to->root = from->root = 0;
    from->instance = to->instance = (uint32_t)c->instance_count++;
    c->members[(*taken)++] = send->call;
    c->members[(*taken)++] = receive->call;
    c->messages++;
}

/* How many from `first` on are of its channel. */
static size_t length_of(const struct end *ends, size_t first, size_t count)
{
    size_t i = first;

    while (i < count && compare_channels(&ends[i].channel, &ends[first].channel) == 0)
        i++;
    return i - first;
}

/* One channel's: where the beginning is lost, the last of both ends belong together. */
static void join_channel(struct wm_replay_calls *c, const struct end *sends, size_t send_count,
                         const struct end *receives, size_t receive_count, size_t *taken)
{
    const struct wm_trace_rank *ranks = c->trace->ranks;
    bool cut = ranks[c->calls[sends->call].rank].first > 0 || ranks[c->calls[receives->call].rank].first > 0;
    size_t both = send_count < receive_count ? send_count : receive_count;
    size_t first_send = cut ? send_count - both : 0, first_receive = cut ? receive_count - both : 0;

    for (size_t i = 0; i < send_count; i++)
        if (i < first_send || i >= first_send + both)
            leave_apart(c, &sends[i]);
    for (size_t i = 0; i < receive_count; i++)
        if (i < first_receive || i >= first_receive + both)
            leave_apart(c, &receives[i]);
    for (size_t i = 0; i < both; i++)
        join(c, &sends[first_send + i], &receives[first_receive + i], taken);
}

static void match(struct wm_replay_calls *c, const struct end *sends, size_t send_count, const struct end *receives,
                  size_t receive_count, size_t taken)
{
    size_t s = 0, r = 0;

    while (s < send_count || r < receive_count) {
        int order = s == send_count      ? 1
                    : r == receive_count ? -1
                                         : compare_channels(&sends[s].channel, &receives[r].channel);
        size_t of_sends = length_of(sends, s, send_count), of_receives = length_of(receives, r, receive_count);

        if (order == 0)
            join_channel(c, &sends[s], of_sends, &receives[r], of_receives, &taken);
        for (size_t i = 0; order < 0 && i < of_sends; i++)
            leave_apart(c, &sends[s + i]);
        for (size_t i = 0; order > 0 && i < of_receives; i++)
            leave_apart(c, &receives[r + i]);
        s += order <= 0 ? of_sends : 0;
        r += order >= 0 ? of_receives : 0;
    }
}

int wm_replay_messages_match(struct wm_replay_calls *c, size_t taken)
{
    struct end *sends = malloc((c->call_count + 1) * sizeof *sends);
    struct end *receives = malloc((c->call_count + 1) * sizeof *receives);
    int rc = sends == NULL || receives == NULL ? -WM_ENOMEM : 0;

    if (rc == 0) {
        size_t send_count = list_ends(c, false, sends), receive_count = list_ends(c, true, receives);

        match(c, sends, send_count, receives, receive_count, taken);
    }
    free(sends);
    free(receives);
    return rc;
}
