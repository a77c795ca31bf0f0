/* Joint plans: the short plans of several ranks, merged, and run. */
#include "core/shared/joint_plan.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/shared/lane.h"
#include "core/shared/tree.h"

static const char what[] = "a call of several ranks";

/* In a buffer of a rank. */
struct wm_joint_place {
    char *const *buffer;
    size_t offset; /* bytes */
};

/* A step of one rank, or one of all members of a group: what the sources give, combined, comes to the targets, which
 * stand behind them. */
struct wm_joint_step {
    const struct wm_joint_rank *alone; /* whose step it is; NULL: of a group */
    const struct wm_short_plan *plan;  /* … in which plan */
    int number;                        /* … and where */
    const struct wm_joint_place *sources, *targets, *end;
    wm_kernel *kernel;
    size_t units, bytes;
};

/* ---- making ---- */

struct draft {
    struct wm_joint_plan *joint;
    const struct wm_joint_rank *ranks;
    int count;
    int *at;         /* [count] the next step of each rank's plan */
    int crossing;    /* who has shared steps with other processes; -1: nobody so far */
    int place_count; /* so far */
};

static const struct wm_step *next_step(const struct draft *d, int i)
{
    const struct wm_plan *plan = d->ranks[i].plan->plan;

    return d->at[i] < plan->step_count ? &plan->steps[d->at[i]] : NULL;
}

static const struct wm_shared_short *next_shared(const struct draft *d, int i)
{
    const struct wm_step *step = next_step(d, i);

    return step != NULL && step->kind == WM_STEP_SHARED ? &d->ranks[i].plan->steps[step->message] : NULL;
}

/* Among those of the draft; -1: it is another process's. */
static int find(const struct draft *d, int rank)
{
    int i = 0;

    while (i < d->count && d->ranks[i].rank != rank)
        i++;
    return i < d->count ? i : -1;
}

static int count_here(const struct draft *d, const struct wm_shared *s)
{
    int here = 0;

    for (int m = 0; m < s->size; m++)
        here += find(d, s->members[m]) >= 0;
    return here;
}

/* It can be done without a lane: data of one size that is small, copied, or combined for one or for all, one after the
 * other: a tree combines in another order. */
static bool is_simple(const struct wm_shared_short *p)
{
    const struct wm_shared *s = p->step;
    bool combines = s->kind == WM_SHARED_REDUCE || s->kind == WM_SHARED_ALLREDUCE;

    return (combines || s->kind == WM_SHARED_BCAST) && s->counts[0] * p->unit_bytes <= WM_SHARED_SMALL &&
           (!combines || p->unit_bytes == 0 || wm_shared_fan(s, p->lane->crowded) >= s->size);
}

static bool is_same(const struct wm_shared_short *a, const struct wm_shared_short *b)
{
    return b != NULL && a->unit_bytes == b->unit_bytes && a->kernel == b->kernel && a->step->kind == b->step->kind &&
           a->step->size == b->step->size && a->step->root == b->step->root &&
           a->step->counts[0] == b->step->counts[0] &&
           memcmp(a->step->members, b->step->members, sizeof *a->step->members * (size_t)a->step->size) == 0;
}

/* All members have come to it. */
static bool is_next_of_all(const struct draft *d, const struct wm_shared_short *p)
{
    for (int m = 0; m < p->step->size; m++)
        if (!is_same(p, next_shared(d, find(d, p->step->members[m]))))
            return false;
    return true;
}

static void add_place(struct draft *d, int i, struct wm_ref ref, size_t unit_bytes)
{
    const struct wm_joint_rank *rank = &d->ranks[i];

    d->joint->places[d->place_count++] = (struct wm_joint_place){
        ref.buffer == WM_BUFFER_RECEIVE ? &rank->receive : &rank->send, ref.offset * unit_bytes};
}

static void add_sources(struct draft *d, const struct wm_shared *s, size_t unit_bytes)
{
    for (int m = 0; m < s->size; m++) {
        int i = find(d, s->members[m]);

        if (s->kind != WM_SHARED_BCAST || m == s->root)
            add_place(d, i, next_shared(d, i)->step->from[0], unit_bytes);
    }
}

static void add_targets(struct draft *d, const struct wm_shared *s, size_t unit_bytes)
{
    for (int m = 0; m < s->size; m++) {
        int i = find(d, s->members[m]);

        if (s->kind == WM_SHARED_ALLREDUCE || (s->kind == WM_SHARED_REDUCE) == (m == s->root))
            add_place(d, i, next_shared(d, i)->step->to[0], unit_bytes);
    }
}

/* A step that moves nothing is over when all have come to it. */
static void add_of_group(struct draft *d, const struct wm_shared_short *p)
{
    struct wm_joint_step *step = &d->joint->steps[d->joint->step_count];
    const struct wm_shared *s = p->step;

    if (p->unit_bytes > 0) {
        *step = (struct wm_joint_step){.sources = d->joint->places + d->place_count,
                                       .kernel = p->kernel,
                                       .units = s->counts[0],
                                       .bytes = s->counts[0] * p->unit_bytes};
        add_sources(d, s, p->unit_bytes);
        step->targets = d->joint->places + d->place_count;
        add_targets(d, s, p->unit_bytes);
        step->end = d->joint->places + d->place_count;
        d->joint->step_count++;
    }
    for (int m = 0; m < s->size; m++)
        d->at[find(d, s->members[m])]++;
}

static void add_alone(struct draft *d, int i)
{
    d->joint->steps[d->joint->step_count++] =
        (struct wm_joint_step){.alone = &d->ranks[i], .plan = d->ranks[i].plan, .number = d->at[i]++};
}

/* The next step of a rank, if it can be run now. */
static bool add_next(struct draft *d, int i)
{
    const struct wm_shared_short *shared = next_shared(d, i);
    int here;

    if (next_step(d, i) == NULL)
        return false;
    here = shared != NULL ? count_here(d, shared->step) : 1;
    if (here == 1 && (shared == NULL || d->crossing < 0 || d->crossing == i)) {
        d->crossing = shared != NULL ? i : d->crossing;
        if (shared != NULL && d->joint->crossing == NULL)
            d->joint->crossing = shared->lane;
        add_alone(d, i);
        return true;
    }
    if (here == 1 || here < shared->step->size || !is_simple(shared) || !is_next_of_all(d, shared))
        return false;
    add_of_group(d, shared);
    return true;
}

static bool merge(struct draft *d)
{
    bool added = true, left = false;

    while (added) {
        added = false;
        for (int i = 0; i < d->count; i++)
            while (add_next(d, i))
                added = true;
    }
    for (int i = 0; i < d->count; i++)
        left = left || next_step(d, i) != NULL;
    return !left;
}

bool wm_joint_plan_make(struct wm_joint_plan *joint, const struct wm_joint_rank *ranks, int count)
{
    struct draft d = {.joint = joint, .ranks = ranks, .count = count, .crossing = -1};
    size_t steps = 1, places = 1;
    bool merged;

    for (int i = 0; i < count; i++) {
        steps += (size_t)ranks[i].plan->plan->step_count;
        places += 2 * (size_t)ranks[i].plan->plan->shared_count;
    }
    *joint = (struct wm_joint_plan){.steps = wm_allocate(steps * sizeof *joint->steps, what),
                                    .places = wm_allocate(places * sizeof *joint->places, what),
                                    .room = wm_allocate(WM_SHARED_SMALL, what)};
    d.at = wm_allocate_zeroed((size_t)count * sizeof *d.at, what);
    merged = merge(&d);
    free(d.at);
    if (!merged)
        wm_joint_plan_release(joint);
    return merged;
}

void wm_joint_plan_release(struct wm_joint_plan *joint)
{
    free(joint->steps);
    free(joint->places);
    free(joint->room);
    *joint = (struct wm_joint_plan){0};
}

/* ---- running ---- */

static inline char *address(const struct wm_joint_place *p)
{
    return *p->buffer + p->offset;
}

/* Sources are combined in the room until the last one: the result may stand where one of them does. */
static inline void run_of_group(const struct wm_joint_step *s, char *room)
{
    const struct wm_joint_place *from = s->sources, *to = s->targets;
    const char *result = address(from);

    for (; ++from < s->targets - 1; result = room)
        s->kernel(result, address(from), room, s->units);
    if (from < s->targets) {
        s->kernel(result, address(from), address(to), s->units);
        result = address(to++);
    }
    for (; to < s->end; to++)
        wm_shared_move(address(to), result, s->bytes);
}

void wm_joint_plan_expect(const struct wm_joint_plan *joint)
{
    if (joint->crossing != NULL)
        wm_shared_claim(joint->crossing);
}

void wm_joint_plan_run(const struct wm_joint_plan *joint)
{
    for (const struct wm_joint_step *s = joint->steps; s < joint->steps + joint->step_count; s++)
        if (s->alone == NULL)
            run_of_group(s, joint->room);
        else
            wm_short_plan_run_step(s->plan, s->number, s->alone->send, s->alone->receive);
}
