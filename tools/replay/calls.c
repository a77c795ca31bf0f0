/* The calls of a trace by rank and by instance. */
#include "tools/replay/calls.h"

#include <limits.h>
#include <stdlib.h>
#include "core/vector.h"

enum {
    LOOK_BACK = 16,  /* calls that a rank may have under way at once */
    BETWEEN_NS = 500 /* a wait that follows another so soon is one with it */
};

struct reading {
    struct wm_replay_calls *calls;
    struct wm_trace_rank *rank;
    int *member_of; /* by communicator: this rank's, -1 */
    size_t begin;   /* the rank's first call */
};

/* A call of late that a record belongs to, or NULL. */
static struct wm_replay_call *find_call(const struct reading *r, uint32_t key, uint32_t sequence)
{
    size_t end = r->calls->call_count, back = end - r->begin < LOOK_BACK ? end - r->begin : LOOK_BACK;

    for (size_t i = 1; i <= back; i++) {
        struct wm_replay_call *call = &r->calls->calls[end - i];

        if (call->communicator == key && call->sequence == sequence)
            return call;
    }
    return NULL;
}

static int add_event(struct wm_replay_calls *c, uint32_t event)
{
    if (wm_vector_reserve(&c->events, &c->event_room, c->event_count + 1, sizeof *c->events) < 0)
        return -WM_ENOMEM;
    c->events[c->event_count++] = event;
    return 0;
}

static int enter(struct reading *r, const struct wm_trace_record *record, uint32_t key, int64_t time_ns)
{
    struct wm_replay_calls *c = r->calls;
    struct wm_replay_call *call = find_call(r, key, record->sequence);
    uint32_t number = (uint32_t)c->call_count;

    if (call != NULL) {
        call->open++;
        return 0;
    }
    if (c->call_count >= UINT32_MAX / 2 ||
        wm_vector_reserve(&c->calls, &c->call_room, c->call_count + 1, sizeof *c->calls) < 0)
        return -WM_ENOMEM;
    call = &c->calls[c->call_count++];
    *call = (struct wm_replay_call){.communicator = key,
                                    .sequence = record->sequence,
                                    .member = r->member_of[key],
                                    .root = record->peer,
                                    .node = record->node,
                                    .operation = record->flags,
                                    .open = 1,
                                    .bytes = record->argument,
                                    .enter_ns = time_ns,
                                    .leave_ns = time_ns};
    if (number > r->begin && call[-1].open > 0)
        call[-1].posted = true;
    return add_event(c, 2 * number);
}

static int64_t length_of(const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    int64_t length_ns = wm_trace_duration_ns(rank, record->argument);

    return length_ns > 0 && length_ns <= rank->end_ns - rank->start_ns ? length_ns : 0;
}

/* The wait for a call is over. */
static int add_wait(struct reading *r, struct wm_replay_call *call, const struct wm_trace_record *record)
{
    if (call->waited)
        return 0;
    call->posted = call->waited = true;
    call->leave_ns = wm_trace_ns(r->rank, record->time_ticks);
    call->wait_ns = call->leave_ns - length_of(r->rank, record);
    return add_event(r->calls, 2 * (uint32_t)(call - r->calls->calls) + 1);
}

static void leave(struct wm_replay_call *call, int64_t time_ns)
{
    if (call->open == 0)
        return;
    call->open--;
    if (!call->waited)
        call->leave_ns = time_ns;
}

static int take_record(struct reading *r, const struct wm_trace_record *record)
{
    uint32_t key;
    struct wm_replay_call *call;

    if (record->kind == WM_TRACE_STATEMENT)
        r->calls->left_ns += length_of(r->rank, record);
    if (record->kind != WM_TRACE_ENTER && record->kind != WM_TRACE_LEAVE && record->kind != WM_TRACE_WAIT)
        return 0;
    key = wm_trace_communicator_key(r->rank, record->communicator);
    if (key == WM_TRACE_NO_COMMUNICATOR || r->member_of[key] < 0)
        return 0;
    if (record->kind == WM_TRACE_ENTER)
        return record->flags < WM_COLLECTIVE_COUNT ? enter(r, record, key, wm_trace_ns(r->rank, record->time_ticks))
                                                   : 0;
    if ((call = find_call(r, key, record->sequence)) == NULL)
        return 0;
    if (record->kind == WM_TRACE_WAIT)
        return add_wait(r, call, record);
    leave(call, wm_trace_ns(r->rank, record->time_ticks));
    return 0;
}

static void find_members(const struct wm_trace *trace, int rank, int *member_of)
{
    for (uint32_t c = 0; c < trace->communicator_count; c++) {
        const struct wm_trace_communicator *communicator = &trace->communicators[c];

        member_of[c] = -1;
        for (int m = 0; m < communicator->size; m++)
            if (communicator->ranks[m] == rank)
                member_of[c] = m;
    }
}

/* Is something of it not there? Two that block, at once, are two threads'. */
static bool is_in_part(const struct wm_replay_call *call, bool has_before)
{
    if (call->open > 0 || call->leave_ns < call->enter_ns || (call->posted && !call->waited))
        return true;
    return has_before && !call[-1].posted && !call[-1].dropped && call->enter_ns < call[-1].leave_ns;
}

/* Calls whose kinds are known by now. Waits begin when what was before is over: time in MPI_Test is put together. */
static void settle(struct wm_replay_calls *c, size_t first_call, size_t first_event)
{
    int64_t ended_ns = INT64_MIN;
    bool waited = false;

    for (size_t i = first_call; i < c->call_count; i++)
        c->calls[i].dropped = is_in_part(&c->calls[i], i > first_call);
    for (size_t e = first_event; e < c->event_count; e++) {
        struct wm_replay_call *call = &c->calls[c->events[e] / 2];
        bool waits = c->events[e] % 2 == 1;

        if (waits) {
            call->follows = waited && call->wait_ns < ended_ns + BETWEEN_NS;
            call->wait_ns = call->wait_ns > ended_ns ? call->wait_ns : ended_ns;
            call->leave_ns = call->leave_ns > call->wait_ns ? call->leave_ns : call->wait_ns;
        }
        waited = waits;
        ended_ns = call->posted && !waits ? call->enter_ns : call->leave_ns;
    }
}

static int read_rank(struct wm_replay_calls *c, int index, int *member_of)
{
    struct reading r = {.calls = c, .rank = &c->trace->ranks[index], .member_of = member_of, .begin = c->call_count};
    const struct wm_trace_record *record;
    uint64_t number = 0;
    int rc = 0;

    c->first[index] = c->event_count;
    c->lost += r.rank->lost;
    find_members(c->trace, r.rank->rank, member_of);
    while (rc == 0 && (record = wm_trace_next(r.rank, &number)) != NULL)
        rc = take_record(&r, record);
    settle(c, r.begin, c->first[index]);
    return rc;
}

static int compare_calls(const void *a, const void *b, void *of_calls)
{
    const struct wm_replay_call *calls = of_calls, *x = &calls[*(const uint32_t *)a], *y = &calls[*(const uint32_t *)b];

    if (x->communicator != y->communicator)
        return x->communicator < y->communicator ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* Are the `count` calls from `first` on one by all ranks? */
static bool is_whole(const struct wm_replay_calls *c, size_t first, size_t count)
{
    const struct wm_replay_call *begin = &c->calls[c->members[first]];

    if (count != (size_t)c->trace->communicators[begin->communicator].size)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct wm_replay_call *call = &c->calls[c->members[first + i]];

        if (call->dropped || call->operation != begin->operation || call->root != begin->root ||
            call->posted != begin->posted || call->member != (int)i)
            return false;
    }
    return !wm_operation_rooted(begin->operation) || (begin->root >= 0 && begin->root < (int)count);
}

static void add_instance(struct wm_replay_calls *c, size_t first, size_t count)
{
    struct wm_replay_instance *instance = &c->instances[c->instance_count];

    *instance = (struct wm_replay_instance){.communicator = c->calls[c->members[first]].communicator,
                                            .first = first,
                                            .alike = (uint32_t)c->instance_count,
                                            .dropped = !is_whole(c, first, count),
                                            .posted = c->calls[c->members[first]].posted};
    for (size_t i = 0; i < count; i++) {
        struct wm_replay_call *call = &c->calls[c->members[first + i]];

        call->instance = (uint32_t)c->instance_count;
        call->dropped = instance->dropped;
        c->left += instance->dropped;
        c->left_ns += instance->dropped ? call->leave_ns - wm_replay_blocked_ns(call) : 0;
    }
    c->kept += !instance->dropped;
    c->instance_count++;
}

static int put_together(struct wm_replay_calls *c)
{
    size_t next;

    c->members = malloc((c->call_count + 1) * sizeof *c->members);
    c->instances = malloc((c->call_count + 1) * sizeof *c->instances);
    if (c->members == NULL || c->instances == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < c->call_count; i++)
        c->members[i] = (uint32_t)i;
    if (c->call_count > 0)
        qsort_r(c->members, c->call_count, sizeof *c->members, compare_calls, c->calls);
    for (size_t first = 0; first < c->call_count; first = next) {
        const struct wm_replay_call *call = &c->calls[c->members[first]];

        for (next = first + 1; next < c->call_count; next++)
            if (c->calls[c->members[next]].communicator != call->communicator ||
                c->calls[c->members[next]].sequence != call->sequence)
                break;
        add_instance(c, first, next - first);
    }
    return 0;
}

int wm_replay_calls_read(struct wm_replay_calls *c, struct wm_trace *trace, struct wm_error *error)
{
    int *member_of = calloc(trace->communicator_count + 1, sizeof *member_of), rc = -WM_ENOMEM;

    *c = (struct wm_replay_calls){.trace = trace};
    c->first = calloc((size_t)trace->rank_count + 1, sizeof *c->first);
    if (member_of != NULL && c->first != NULL)
        rc = 0;
    for (int i = 0; rc == 0 && i < trace->rank_count; i++)
        rc = read_rank(c, i, member_of);
    free(member_of);
    if (rc == 0) {
        c->first[trace->rank_count] = c->event_count;
        rc = put_together(c);
    }
    if (rc < 0)
        return wm_error_set(error, rc, "no memory for the calls of the trace");
    if (c->kept == 0)
        return wm_error_set(error, -WM_ETRACE,
                            "the trace has no collective call that all ranks have on record; record more of the run");
    return 0;
}

struct wm_replay_times wm_replay_traced(const struct wm_replay_calls *calls, size_t number, int64_t *room)
{
    const struct wm_replay_instance *instance = &calls->instances[number];
    int ranks = wm_replay_size(calls, instance);
    struct wm_replay_times times = {.arrivals = room, .waits = instance->posted ? room + ranks : NULL};

    for (int m = 0; m < ranks; m++) {
        times.arrivals[m] = wm_replay_call_of(calls, instance, m)->enter_ns;
        if (instance->posted)
            times.waits[m] = wm_replay_call_of(calls, instance, m)->wait_ns;
    }
    return times;
}

void wm_replay_calls_release(struct wm_replay_calls *c)
{
    free(c->calls);
    free(c->events);
    free(c->first);
    free(c->instances);
    free(c->members);
    *c = (struct wm_replay_calls){0};
}
