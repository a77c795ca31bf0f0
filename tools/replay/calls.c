/* The calls of a trace by rank and by instance. */
#include "tools/replay/calls.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/vector.h"
#include "tools/replay/messages.h"

enum {
    BETWEEN_NS = 500, /* a wait that follows another so soon is one with it */
    CALL_BYTES = 130  /* what a replay takes for a call, all in all */
};

/* The rank's last collective call but `back`, or NULL. */
static struct wm_replay_call *collective_of_late(const struct wm_replay_reading *r, size_t back)
{
    if (back >= r->collectives || back >= WM_REPLAY_LOOK_BACK)
        return NULL;
    return &r->calls->calls[r->late[(r->collectives - 1 - back) % WM_REPLAY_LOOK_BACK]];
}

/* A call of late that a record belongs to, or NULL. */
static struct wm_replay_call *find_call(const struct wm_replay_reading *r, uint32_t key, uint32_t sequence)
{
    struct wm_replay_call *call;

    for (size_t back = 0; (call = collective_of_late(r, back)) != NULL; back++)
        if (call->communicator == key && call->sequence == sequence)
            return call;
    return NULL;
}

int wm_replay_calls_add_event(struct wm_replay_calls *c, uint32_t event)
{
    if (wm_vector_reserve(&c->events, &c->event_room, c->event_count + 1, sizeof *c->events) < 0)
        return -WM_ENOMEM;
    c->events[c->event_count++] = event;
    return 0;
}

/* So many there is memory and a number for. */
static size_t find_calls_max(void)
{
    size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), most = bytes / CALL_BYTES;

    return most < UINT32_MAX / 2 ? most : UINT32_MAX / 2;
}

int wm_replay_calls_add(struct wm_replay_reading *r, const struct wm_replay_call *call)
{
    struct wm_replay_calls *c = r->calls;
    struct wm_replay_call *late = collective_of_late(r, 0);

    if (late != NULL && late->open > 0)
        late->posted = true;
    if (c->call_count >= c->calls_max ||
        wm_vector_reserve(&c->calls, &c->call_room, c->call_count + 1, sizeof *c->calls) < 0)
        return -WM_ENOMEM;
    c->calls[c->call_count] = *call;
    c->calls[c->call_count].rank = r->index;
    if (!call->message)
        r->late[r->collectives++ % WM_REPLAY_LOOK_BACK] = (uint32_t)c->call_count;
    return wm_replay_calls_add_event(c, 2 * (uint32_t)c->call_count++);
}

static int enter(struct wm_replay_reading *r, const struct wm_trace_record *record, uint32_t key, int64_t time_ns)
{
    struct wm_replay_call *call = find_call(r, key, record->sequence);

    if (call != NULL) {
        call->open++;
        return 0;
    }
    return wm_replay_calls_add(r, &(struct wm_replay_call){.communicator = key,
                                                           .sequence = record->sequence,
                                                           .member = r->member_of[key],
                                                           .root = record->peer,
                                                           .node = record->node,
                                                           .operation = record->flags,
                                                           .open = 1,
                                                           .bytes = record->argument,
                                                           .enter_ns = time_ns,
                                                           .leave_ns = time_ns});
}

int64_t wm_replay_length(const struct wm_trace_rank *rank, uint64_t ticks)
{
    int64_t length_ns = wm_trace_duration_ns(rank, ticks);

    return length_ns > 0 && length_ns <= rank->end_ns - rank->start_ns ? length_ns : 0;
}

/* The wait for a call is over. */
static int add_wait(struct wm_replay_reading *r, struct wm_replay_call *call, const struct wm_trace_record *record)
{
    if (call->waited)
        return 0;
    call->posted = call->waited = true;
    call->leave_ns = wm_trace_ns(r->rank, record->time_ticks);
    call->wait_ns = call->leave_ns - wm_replay_length(r->rank, record->argument);
    return wm_replay_calls_add_event(r->calls, 2 * (uint32_t)(call - r->calls->calls) + 1);
}

static void leave(struct wm_replay_call *call, int64_t time_ns)
{
    if (call->open == 0)
        return;
    call->open--;
    if (!call->waited)
        call->leave_ns = time_ns;
}

static int take_record(struct wm_replay_reading *r, const struct wm_trace_record *record)
{
    uint32_t key;
    struct wm_replay_call *call;

    if (record->kind == WM_TRACE_STATEMENT)
        r->calls->left_ns += wm_replay_length(r->rank, record->argument);
    if (record->kind != WM_TRACE_ENTER && record->kind != WM_TRACE_LEAVE && record->kind != WM_TRACE_WAIT &&
        record->kind != WM_TRACE_P2P_POST && record->kind != WM_TRACE_P2P_DONE)
        return 0;
    key = wm_trace_communicator_key(r->rank, record->communicator);
    if (key == WM_TRACE_NO_COMMUNICATOR || r->member_of[key] < 0)
        return 0;
    if (record->kind == WM_TRACE_P2P_POST || record->kind == WM_TRACE_P2P_DONE)
        return wm_replay_messages_take(r, record, key);
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
static bool is_in_part(const struct wm_replay_call *call, const struct wm_replay_call *before)
{
    if (call->message)
        return call->member == 1 && !call->waited;
    if (call->open > 0 || call->leave_ns < call->enter_ns || (call->posted && !call->waited))
        return true;
    return before != NULL && !before->posted && !before->dropped && call->enter_ns < before->leave_ns;
}

/* Calls whose kinds are known by now. Waits begin when what was before is over: time in MPI_Test is put together. */
static void settle(struct wm_replay_calls *c, size_t first_call, size_t first_event)
{
    int64_t ended_ns = INT64_MIN, row_ns = 0;
    bool waited = false;
    const struct wm_replay_call *before = NULL; /* the collective one */

    for (size_t i = first_call; i < c->call_count; i++) {
        c->calls[i].dropped = is_in_part(&c->calls[i], before);
        before = c->calls[i].message ? before : &c->calls[i];
    }
    for (size_t e = first_event; e < c->event_count; e++) {
        struct wm_replay_call *call = &c->calls[c->events[e] / 2];
        bool waits = c->events[e] % 2 == 1;

        if (waits) {
            call->follows = waited && call->wait_ns < ended_ns + BETWEEN_NS;
            call->wait_ns = call->wait_ns > ended_ns ? call->wait_ns : ended_ns;
            call->leave_ns = call->leave_ns > call->wait_ns ? call->leave_ns : call->wait_ns;
            row_ns = call->follows ? row_ns : call->wait_ns;
            call->row_ns = row_ns;
        }
        waited = waits;
        ended_ns = call->posted && !waits ? call->enter_ns : call->leave_ns;
    }
}

static int read_rank(struct wm_replay_calls *c, int index, int *member_of)
{
    struct wm_replay_reading r = {.calls = c, .rank = &c->trace->ranks[index], .index = index, .member_of = member_of};
    size_t first_call = c->call_count;
    const struct wm_trace_record *record;
    uint64_t number = 0;
    int rc = wm_replay_messages_begin(&r);

    c->first[index] = c->event_count;
    c->lost += r.rank->lost;
    c->has_messages = c->has_messages && r.rank->p2p;
    find_members(c->trace, r.rank->rank, member_of);
    while (rc == 0 && (record = wm_trace_next(r.rank, &number)) != NULL) {
        rc = take_record(&r, record);
        wm_share_line_show(&c->line, (double)++c->passed / (double)c->records / WM_REPLAY_PASSES);
    }
    wm_replay_messages_end(&r);
    settle(c, first_call, c->first[index]);
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
    size_t next, collectives = 0;

    c->members = malloc((c->call_count + 1) * sizeof *c->members);
    c->instances = malloc((c->call_count + 1) * sizeof *c->instances);
    if (c->members == NULL || c->instances == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < c->call_count; i++)
        if (!c->calls[i].message)
            c->members[collectives++] = (uint32_t)i;
    if (collectives > 0)
        qsort_r(c->members, collectives, sizeof *c->members, compare_calls, c->calls);
    for (size_t first = 0; first < collectives; first = next) {
        const struct wm_replay_call *call = &c->calls[c->members[first]];

        for (next = first + 1; next < collectives; next++)
            if (c->calls[c->members[next]].communicator != call->communicator ||
                c->calls[c->members[next]].sequence != call->sequence)
                break;
        add_instance(c, first, next - first);
    }
    return wm_replay_messages_match(c, collectives);
}

int wm_replay_calls_read(struct wm_replay_calls *c, struct wm_trace *trace, struct wm_error *error)
{
    int *member_of = calloc(trace->communicator_count + 1, sizeof *member_of), rc = -WM_ENOMEM;

    *c = (struct wm_replay_calls){.trace = trace,
                                  .line = wm_share_line_begin("waymark: replaying the trace"),
                                  .calls_max = find_calls_max(),
                                  .has_messages = true};
    c->first = calloc((size_t)trace->rank_count + 1, sizeof *c->first);
    if (member_of != NULL && c->first != NULL)
        rc = 0;
    for (int i = 0; i < trace->rank_count; i++)
        c->records += trace->ranks[i].count;
    for (int i = 0; rc == 0 && i < trace->rank_count; i++)
        rc = read_rank(c, i, member_of);
    free(member_of);
    if (rc == 0) {
        c->first[trace->rank_count] = c->event_count;
        rc = put_together(c);
    }
    if (rc < 0)
        return wm_error_set(
            error, rc,
            "the trace is too large for this machine's memory: of its %llu records %llu were read, with "
            "%zu calls, of which each takes some %d B; record less of the run ('--trace-calls', "
            "'--trace-time')",
            (unsigned long long)c->records, (unsigned long long)c->passed, c->call_count, CALL_BYTES);
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
            times.waits[m] = wm_replay_call_of(calls, instance, m)->row_ns;
    }
    return times;
}

void wm_replay_calls_release(struct wm_replay_calls *c)
{
    wm_share_line_end(&c->line);
    free(c->calls);
    free(c->events);
    free(c->first);
    free(c->instances);
    free(c->members);
    *c = (struct wm_replay_calls){0};
}
