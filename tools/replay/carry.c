/* All calls of a trace, in an order in which each comes after those that its ranks made before. */
#include "tools/replay/carry.h"

#include <stdlib.h>
#include "tools/proof/arena.h"

struct seat {
    size_t next;   /* the event that the rank comes to */
    int64_t clock; /* and when the one before was over, now */
    int64_t left;  /* … and in the trace */
    int64_t row;   /* when the row of waits began that the last event is of */
};

/* Of an instance. */
struct gathering {
    int come;      /* members that are in it, or wait for it */
    bool carried;  /* and members may come to their waits yet */
    bool ready;    /* a message that is among those to be carried */
    int64_t *room; /* of a posted one, by member: posts, then waits; carried: when they are over */
};

struct carrying {
    const struct wm_replay_calls *calls;
    const struct wm_replay_carrier *carrier;
    struct seat *seats;         /* by rank index */
    struct gathering *gathered; /* by instance */
    uint32_t *ready;            /* instances that all have come to */
    size_t ready_count;
    int64_t *room; /* of one that blocks, and leaves */
    struct wm_arena arena;
    uint64_t carried;
};

static const struct wm_replay_call *call_at(const struct carrying *c, size_t event)
{
    return &c->calls->calls[c->calls->events[event] / 2];
}

static bool is_wait(const struct carrying *c, size_t event)
{
    return c->calls->events[event] % 2 == 1;
}

static int size_of(const struct carrying *c, uint32_t instance)
{
    return wm_replay_size(c->calls, &c->calls->instances[instance]);
}

/* Now, at what was then. */
static int64_t clock_at(const struct seat *seat, int64_t then)
{
    return seat->clock + then - seat->left;
}

/* A message goes on once it is sent, it is received, and somebody waits for it. */
static void look_at_message(struct carrying *c, uint32_t number)
{
    struct gathering *g = &c->gathered[number];

    if (g->ready || g->come == 0 || g->room == NULL || g->room[0] == INT64_MIN || g->room[1] == INT64_MIN)
        return;
    g->ready = true;
    c->ready[c->ready_count++] = number;
}

/* The rank posts a call, and goes on. */
static void post(struct carrying *c, struct seat *seat, const struct wm_replay_call *call)
{
    struct gathering *g = &c->gathered[call->instance];
    size_t ranks = (size_t)size_of(c, call->instance);

    if (g->room == NULL) {
        g->room = wm_arena_take(&c->arena, 2 * ranks * sizeof *g->room);
        for (size_t m = 0; m < 2 * ranks; m++)
            g->room[m] = INT64_MIN;
    }
    g->room[call->member] = clock_at(seat, call->enter_ns);
    seat->clock = g->room[call->member] + c->carrier->post(c->carrier->context, call->instance, call->member);
    seat->left = call->enter_ns;
    seat->next++;
    if (call->message)
        look_at_message(c, call->instance);
}

/* The rank is through with the event that it came to. */
static void end_event(struct seat *seat, const struct wm_replay_call *call, int64_t clock)
{
    seat->clock = clock;
    seat->left = call->leave_ns;
    seat->next++;
}

/* The rank begins to wait. True: what it waits for is over. */
static bool begin_wait(struct carrying *c, struct seat *seat, const struct wm_replay_call *call)
{
    struct gathering *g = &c->gathered[call->instance];
    int64_t now = clock_at(seat, call->wait_ns);

    if (!call->follows)
        seat->row = now;
    if (g->carried) {
        end_event(seat, call, g->room[call->member] > now ? g->room[call->member] : now);
        return true;
    }
    g->room[size_of(c, call->instance) + call->member] = call->follows ? seat->row : now;
    return false;
}

/* The rank goes on to the next event that keeps it. */
static void advance(struct carrying *c, int rank)
{
    const struct wm_replay_calls *calls = c->calls;
    struct seat *seat = &c->seats[rank];

    while (seat->next < calls->first[rank + 1]) {
        const struct wm_replay_call *call = call_at(c, seat->next);

        if (call->dropped) {
            seat->next++;
        } else if (call->posted && !is_wait(c, seat->next)) {
            post(c, seat, call);
        } else if (!call->posted || !begin_wait(c, seat, call)) {
            c->gathered[call->instance].come++;
            if (call->message)
                look_at_message(c, call->instance);
            else if (c->gathered[call->instance].come == size_of(c, call->instance))
                c->ready[c->ready_count++] = call->instance;
            return;
        }
    }
}

static int rank_of(const struct carrying *c, uint32_t instance, int member)
{
    return wm_replay_call_of(c->calls, &c->calls->instances[instance], member)->rank;
}

/* Is it what the rank is in, or waits for? */
static bool is_at(const struct carrying *c, int rank, uint32_t instance)
{
    size_t event = c->seats[rank].next;

    return event < c->calls->first[rank + 1] && call_at(c, event)->instance == instance;
}

/* Since when the rank is in the call that keeps it, or has nothing more to do. */
static int64_t inside_since(const struct carrying *c, int rank)
{
    const struct seat *seat = &c->seats[rank];
    const struct wm_replay_call *call;

    if (seat->next == c->calls->first[rank + 1])
        return seat->clock;
    call = call_at(c, seat->next);
    return clock_at(seat, wm_replay_blocked_ns(call));
}

static struct wm_replay_times times_of(struct carrying *c, uint32_t number)
{
    const struct wm_replay_instance *instance = &c->calls->instances[number];
    struct wm_replay_times times = {.arrivals = c->room};
    int ranks = size_of(c, number);

    if (instance->posted) {
        times =
            (struct wm_replay_times){.arrivals = c->gathered[number].room, .waits = c->gathered[number].room + ranks};
        for (int m = 0; m < ranks; m++)
            if (!wm_replay_call_of(c->calls, instance, m)->waited)
                times.waits[m] = times.arrivals[m];
            else if (times.waits[m] == INT64_MIN)
                times.waits[m] = inside_since(c, rank_of(c, number, m));
        return times;
    }
    for (int m = 0; m < ranks; m++)
        times.arrivals[m] =
            clock_at(&c->seats[rank_of(c, number, m)], wm_replay_call_of(c->calls, instance, m)->enter_ns);
    return times;
}

static int carry_instance(struct carrying *c, uint32_t number, struct wm_error *error)
{
    struct wm_replay_times times = times_of(c, number);
    int ranks = size_of(c, number), rc;
    int64_t *leaves = c->room + ranks;

    if ((rc = c->carrier->take(c->carrier->context, number, &times, leaves, error)) < 0)
        return rc;
    c->carried++;
    c->gathered[number].carried = true;
    for (int m = 0; m < ranks; m++) {
        int rank = rank_of(c, number, m);

        if (times.waits != NULL)
            times.arrivals[m] = leaves[m];
        if (is_at(c, rank, number)) {
            end_event(&c->seats[rank], wm_replay_call_of(c->calls, &c->calls->instances[number], m), leaves[m]);
            advance(c, rank);
        }
    }
    return 0;
}

/* Is every member of a posted instance past its post, and some of them wait? */
static bool can_go(const struct carrying *c, uint32_t number)
{
    const struct gathering *g = &c->gathered[number];

    if (!c->calls->instances[number].posted || g->carried || g->ready || g->come == 0)
        return false;
    for (int m = 0; m < size_of(c, number); m++)
        if (g->room[m] == INT64_MIN)
            return false;
    return true;
}

/* Ranks wait crosswise: one instance that can go on. True if there is one. */
static bool find_crossed(struct carrying *c)
{
    for (int rank = 0; rank < c->calls->trace->rank_count; rank++) {
        size_t event = c->seats[rank].next;

        if (event < c->calls->first[rank + 1] && can_go(c, call_at(c, event)->instance)) {
            c->ready[c->ready_count++] = call_at(c, event)->instance;
            return true;
        }
    }
    return false;
}

static int carry_all(struct carrying *c, struct wm_error *error)
{
    const struct wm_trace *trace = c->calls->trace;
    int rc = 0;

    for (int i = 0; i < trace->rank_count; i++) {
        int64_t start_ns = trace->ranks[i].start_ns;

        c->seats[i] = (struct seat){.next = c->calls->first[i], .clock = start_ns, .left = start_ns};
    }
    for (int i = 0; i < trace->rank_count; i++)
        advance(c, i);
    while (rc == 0 && (c->ready_count > 0 || find_crossed(c)))
        rc = carry_instance(c, c->ready[--c->ready_count], error);
    if (rc == 0 && c->carried < c->calls->kept + c->calls->messages)
        return wm_error_set(error, -WM_ETRACE,
                            "ranks come to their calls in orders that cannot be: %llu of %llu calls are never reached; "
                            "look for damage with 'waymark report'",
                            (unsigned long long)(c->calls->kept + c->calls->messages - c->carried),
                            (unsigned long long)(c->calls->kept + c->calls->messages));
    return rc;
}

static int64_t measure(const struct carrying *c)
{
    int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

    for (int i = 0; i < c->calls->trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &c->calls->trace->ranks[i];
        int64_t end = clock_at(&c->seats[i], rank->end_ns);

        start_ns = rank->start_ns < start_ns ? rank->start_ns : start_ns;
        end_ns = end > end_ns ? end : end_ns;
    }
    return end_ns - start_ns;
}

int wm_replay_carry(const struct wm_replay_calls *calls, const struct wm_replay_carrier *carrier, int64_t *run_ns,
                    struct wm_error *error)
{
    size_t ranks = (size_t)calls->trace->rank_count, job = (size_t)calls->trace->job_ranks;
    struct carrying c = {.calls = calls, .carrier = carrier};
    int rc = -WM_ENOMEM;

    c.seats = calloc(ranks + 1, sizeof *c.seats);
    c.gathered = calloc(calls->instance_count + 1, sizeof *c.gathered);
    c.ready = calloc(calls->instance_count + 1, sizeof *c.ready);
    c.room = calloc(2 * job + 1, sizeof *c.room);
    if (c.seats != NULL && c.gathered != NULL && c.ready != NULL && c.room != NULL)
        rc = carry_all(&c, error);
    else
        wm_error_set(error, rc, "no memory for %zu calls", calls->instance_count);
    if (rc == 0)
        *run_ns = measure(&c);
    free(c.seats);
    free(c.gathered);
    free(c.ready);
    free(c.room);
    wm_arena_release(&c.arena);
    return rc;
}
