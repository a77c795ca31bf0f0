/* Clocks of several machines laid on one, by comparisons, or by wall clocks where there are none. */
#include "tracer/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Crystals of two machines: their rates differ by up to 100 ppm; what they do when nobody looks follows from heat and
 * from time services that steer them. */
static const struct wm_curve_rules between_clocks = {
    .rate = 1,
    .tolerance = 1e-3,
    .alone_wander = 1e-4,
    .single_wander = 1e-5,
    .single_share = 1,
    .least_wander = 1e-7,
};

static double difference(uint64_t a, uint64_t b)
{
    return (double)(int64_t)(a - b);
}

/* Wall clocks that stand apart by seconds betray a time namespace. */
bool wm_join_same_machine(const struct wm_trace_rank *a, const struct wm_trace_rank *b)
{
    double shift_ns = difference(a->start.realtime_ns, b->start.realtime_ns) -
                      difference(a->start.monotonic_ns, b->start.monotonic_ns);

    if (a->boot[0] != '\0' && b->boot[0] != '\0')
        return strcmp(a->boot, b->boot) == 0 && fabs(shift_ns) < 5e9;
    return strcmp(a->host, b->host) == 0;
}

static int compare_ranks(const void *a, const void *b)
{
    return ((const struct wm_joint_clock *)a)->rank - ((const struct wm_joint_clock *)b)->rank;
}

/* A clock for each rank and for each that is named; those that nobody has stay unused. */
static int make_clocks(struct wm_join *join, const struct wm_trace *trace, const struct wm_syncs *syncs)
{
    int count = 0;

    join->clocks = calloc(2 * (size_t)trace->rank_count, sizeof *join->clocks);
    join->of_rank = calloc((size_t)trace->rank_count, sizeof *join->of_rank);
    if (join->clocks == NULL || join->of_rank == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->rank_count; i++) {
        join->clocks[count++].rank = trace->ranks[i].rank;
        if (syncs[i].count > 0)
            join->clocks[count++].rank = syncs[i].syncs[0].peer;
    }
    qsort(join->clocks, (size_t)count, sizeof *join->clocks, compare_ranks);
    for (int i = 0; i < count; i++)
        if (i == 0 || join->clocks[i].rank != join->clocks[join->count - 1].rank)
            join->clocks[join->count++].rank = join->clocks[i].rank;
    return 0;
}

static int find_clock(const struct wm_join *join, int rank)
{
    struct wm_joint_clock key = {.rank = rank};
    struct wm_joint_clock *found =
        bsearch(&key, join->clocks, (size_t)join->count, sizeof *join->clocks, compare_ranks);

    return (int)(found - join->clocks);
}

/* A rank whose trace says nothing takes the clock of the first rank of its machine. */
static int choose_clock(const struct wm_join *join, const struct wm_trace *trace, int i, const struct wm_syncs *syncs)
{
    if (syncs->count > 0)
        return find_clock(join, syncs->syncs[0].same ? syncs->syncs[0].peer : trace->ranks[i].rank);
    for (int j = 0; j < i; j++)
        if (wm_join_same_machine(&trace->ranks[i], &trace->ranks[j]))
            return join->of_rank[j];
    return find_clock(join, trace->ranks[i].rank);
}

static void set_epoch(struct wm_joint_clock *clock, uint64_t epoch_ns)
{
    if (!clock->known)
        clock->epoch_ns = epoch_ns;
    clock->known = true;
}

/* Time on the top's clock, before tops are joined. */
static double at_top(const struct wm_joint_clock *clock, uint64_t monotonic_ns, double since_ns, double *error_ns)
{
    double x = difference(monotonic_ns, clock->epoch_ns) + since_ns;

    *error_ns = 0;
    return clock->curve.count > 0 ? wm_curve_at(&clock->curve, x, error_ns) : x;
}

/* The curve of a clock whose leader was compared with another; that one's is there already. */
static int follow(struct wm_join *join, const struct wm_trace_rank *rank, const struct wm_syncs *syncs,
                  const struct wm_curve *own)
{
    struct wm_joint_clock *clock = &join->clocks[find_clock(join, rank->rank)];
    int parent = find_clock(join, syncs->syncs[0].peer);

    set_epoch(&join->clocks[parent], rank->start.monotonic_ns + (uint64_t)syncs->syncs[0].offset_ns);
    clock->top = join->clocks[parent].top;
    wm_curve_init(&clock->curve, &between_clocks);
    for (size_t i = 0; i < syncs->count; i++) {
        const struct wm_sync *sync = &syncs->syncs[i];
        double ignored, error_ns;
        double x = wm_curve_at(own, difference(sync->ticks, rank->start.ticks), &ignored);
        double y = at_top(&join->clocks[parent], rank->start.monotonic_ns + (uint64_t)sync->offset_ns, x, &error_ns);

        if (wm_curve_add(&clock->curve, x, y, (double)sync->half_ns + error_ns) < 0)
            return -WM_ENOMEM;
    }
    wm_curve_finish(&clock->curve);
    return 0;
}

static bool leads(const struct wm_join *join, const struct wm_trace *trace, int i)
{
    return join->clocks[join->of_rank[i]].rank == trace->ranks[i].rank;
}

/* Parents before children: their ranks are lower. */
static int follow_all(struct wm_join *join, const struct wm_trace *trace, const struct wm_syncs *syncs,
                      const struct wm_curve *own)
{
    int rc = 0;

    for (int i = 0; i < join->count; i++)
        join->clocks[i].top = i;
    for (int i = 0; i < trace->rank_count && rc == 0; i++) {
        set_epoch(&join->clocks[join->of_rank[i]], trace->ranks[i].start.monotonic_ns);
        if (leads(join, trace, i) && syncs[i].count > 0)
            rc = follow(join, &trace->ranks[i], &syncs[i], &own[i]);
    }
    return rc;
}

/* Tops other than the first rank's: their first rank's wall clock at its start against the first rank's. */
static void join_tops(struct wm_join *join, const struct wm_trace *trace)
{
    const struct wm_trace_rank *first = &trace->ranks[0];
    double ignored, origin = wm_join_at(join, join->of_rank[0], first->start.monotonic_ns, 0, &ignored);

    for (int i = trace->rank_count - 1; i > 0; i--) {
        const struct wm_trace_rank *rank = &trace->ranks[i];
        const struct wm_joint_clock *clock = &join->clocks[join->of_rank[i]];
        struct wm_joint_clock *top = &join->clocks[clock->top];

        if (clock->top == join->clocks[join->of_rank[0]].top)
            continue;
        top->error_ns = WM_JOIN_WALL_ERROR_NS;
        top->shift_ns = origin + difference(rank->start.realtime_ns, first->start.realtime_ns) -
                        at_top(clock, rank->start.monotonic_ns, 0, &ignored);
    }
}

static void judge(const struct wm_join *join, struct wm_trace *trace, const struct wm_syncs *syncs)
{
    int reference = join->of_rank[0];

    trace->synchronised = true;
    for (int i = 0; i < trace->rank_count; i++) {
        int clock = join->of_rank[i];

        trace->ranks[i].clock = join->clocks[clock].rank;
        trace->ranks[i].comparisons = leads(join, trace, i) ? syncs[i].count : 0;
        trace->several_clocks |= clock != reference;
        trace->synchronised &= join->clocks[clock].top == join->clocks[reference].top;
    }
}

static int warn(struct wm_trace *trace, const struct wm_syncs *syncs)
{
    size_t damaged = 0;

    for (int i = 0; i < trace->rank_count; i++)
        damaged += syncs[i].damaged;
    return damaged == 0 ? 0
                        : wm_trace_warn(trace, "%zu comparison%s of clocks make no sense and are left out", damaged,
                                        damaged == 1 ? "" : "s");
}

int wm_join_find(struct wm_join *join, struct wm_trace *trace, const struct wm_syncs *syncs, const struct wm_curve *own)
{
    memset(join, 0, sizeof *join);
    if (make_clocks(join, trace, syncs) < 0)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->rank_count; i++)
        join->of_rank[i] = choose_clock(join, trace, i, &syncs[i]);
    if (follow_all(join, trace, syncs, own) < 0)
        return -WM_ENOMEM;
    join_tops(join, trace);
    judge(join, trace, syncs);
    return warn(trace, syncs);
}

void wm_join_release(struct wm_join *join)
{
    for (int i = 0; i < join->count; i++)
        wm_curve_release(&join->clocks[i].curve);
    free(join->clocks);
    free(join->of_rank);
    memset(join, 0, sizeof *join);
}

double wm_join_at(const struct wm_join *join, int clock, uint64_t monotonic_ns, double since_ns, double *error_ns)
{
    const struct wm_joint_clock *top = &join->clocks[join->clocks[clock].top];
    double at_ns = at_top(&join->clocks[clock], monotonic_ns, since_ns, error_ns);

    *error_ns += top->error_ns;
    return at_ns + top->shift_ns;
}
