/* All calls of a trace, in an order in which each comes after those that its ranks made before. */
#include "tools/replay/carry.h"

#include <stdlib.h>

struct carrying {
    const struct wm_replay_calls *calls;
    const struct wm_replay_carrier *carrier;
    size_t *next;    /* by rank index: the call that it comes to */
    int64_t *clock;  /* … and when it left the one before, now */
    int64_t *left;   /* … and in the trace */
    int *come;       /* by instance: members that are there */
    int *index_of;   /* by world rank */
    uint32_t *ready; /* instances that all have come to */
    size_t ready_count;
    int64_t *arrivals, *leaves;
    uint64_t carried;
};

/* The rank goes on to its next call that is replayed. */
static void advance(struct carrying *c, int rank)
{
    const struct wm_replay_calls *calls = c->calls;
    size_t *next = &c->next[rank];

    while (*next < calls->first[rank + 1] && calls->calls[*next].dropped)
        ++*next;
    if (*next < calls->first[rank + 1]) {
        uint32_t instance = calls->calls[*next].instance;

        if (++c->come[instance] == wm_replay_size(calls, &calls->instances[instance]))
            c->ready[c->ready_count++] = instance;
    }
}

static int carry_instance(struct carrying *c, uint32_t number, struct wm_error *error)
{
    const struct wm_replay_instance *instance = &c->calls->instances[number];
    const struct wm_trace_communicator *communicator = &c->calls->trace->communicators[instance->communicator];
    int rc;

    for (int m = 0; m < communicator->size; m++) {
        int rank = c->index_of[communicator->ranks[m]];

        c->arrivals[m] = c->clock[rank] + wm_replay_call_of(c->calls, instance, m)->enter_ns - c->left[rank];
    }
    rc = c->carrier->take(c->carrier->context, number, c->arrivals, c->leaves, error);
    c->carried++;
    for (int m = 0; rc == 0 && m < communicator->size; m++) {
        int rank = c->index_of[communicator->ranks[m]];

        c->clock[rank] = c->leaves[m];
        c->left[rank] = wm_replay_call_of(c->calls, instance, m)->leave_ns;
        c->next[rank]++;
        advance(c, rank);
    }
    return rc;
}

static int carry_all(struct carrying *c, struct wm_error *error)
{
    const struct wm_trace *trace = c->calls->trace;
    int rc = 0;

    for (int i = 0; i < trace->rank_count; i++) {
        c->index_of[trace->ranks[i].rank] = i;
        c->next[i] = c->calls->first[i];
        c->clock[i] = c->left[i] = trace->ranks[i].start_ns;
    }
    for (int i = 0; i < trace->rank_count; i++)
        advance(c, i);
    while (rc == 0 && c->ready_count > 0)
        rc = carry_instance(c, c->ready[--c->ready_count], error);
    if (rc == 0 && c->carried < c->calls->kept)
        return wm_error_set(error, -WM_ETRACE,
                            "ranks come to their calls in orders that cannot be: %llu of %llu calls are never reached; "
                            "look for damage with 'waymark report'",
                            (unsigned long long)(c->calls->kept - c->carried), (unsigned long long)c->calls->kept);
    return rc;
}

static int64_t measure(const struct carrying *c)
{
    int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

    for (int i = 0; i < c->calls->trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &c->calls->trace->ranks[i];
        int64_t end = c->clock[i] + rank->end_ns - c->left[i];

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

    c.next = calloc(ranks + 1, sizeof *c.next);
    c.clock = calloc(ranks + 1, sizeof *c.clock);
    c.left = calloc(ranks + 1, sizeof *c.left);
    c.come = calloc(calls->instance_count + 1, sizeof *c.come);
    c.index_of = calloc(job + 1, sizeof *c.index_of);
    c.ready = calloc(calls->instance_count + 1, sizeof *c.ready);
    c.arrivals = calloc(job + 1, sizeof *c.arrivals);
    c.leaves = calloc(job + 1, sizeof *c.leaves);
    if (c.next != NULL && c.clock != NULL && c.left != NULL && c.come != NULL && c.index_of != NULL &&
        c.ready != NULL && c.arrivals != NULL && c.leaves != NULL)
        rc = carry_all(&c, error);
    else
        wm_error_set(error, rc, "no memory for %zu calls", calls->instance_count);
    if (rc == 0)
        *run_ns = measure(&c);
    free(c.next);
    free(c.clock);
    free(c.left);
    free(c.come);
    free(c.index_of);
    free(c.ready);
    free(c.arrivals);
    free(c.leaves);
    return rc;
}
