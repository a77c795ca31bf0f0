/* From each rank's ticks to nanoseconds on one clock: straight lines through the pairs that its trace holds, and
 * through the comparisons of its machine's clock with others (tracer/join.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/search.h"
#include "tracer/join.h"
#include "tracer/reader.h"

/* A bound of the error at a line's beginning and at its end, and how fast it grows at most, as a fraction of the
 * distance from there. */
struct bound {
    double begin_ns, end_ns, wander;
};

/* From `ticks` on, time is at_ns + (t - ticks) * ns_per_tick. */
struct wm_clock_line {
    uint64_t ticks;
    double at_ns, ns_per_tick;
    struct bound all, own; /* of the common clock; of CLOCK_MONOTONIC alone */
};

/* Ticks and CLOCK_MONOTONIC come from one oscillator; their rate changes when a time service steers the latter. */
static const struct wm_curve_rules ticks_rules = {
    .tolerance = 1e-3,
    .alone_wander = 2e-5, /* as measured over 2 ms at the start */
    .single_wander = 1e-7,
    .least_wander = 2e-8,
};
static const double SHARED_RATE_WANDER = 1e-6; /* of a rate that another rank of the machine measured */
static const double PAIR_ERROR_NS = 50;
static const double TIME_MAX_NS = 9e17;              /* 28 years: damaged times end here instead of overflowing */
static const int64_t LIFE_MAX_NS = 8640000000000000; /* 100 days: no rank lives longer */

/* What is known of all ranks while their lines are laid. */
struct layout {
    struct wm_syncs *syncs;
    struct wm_curve *own; /* ticks since the start to CLOCK_MONOTONIC since then */
    struct wm_join join;
};

static double signed_ticks(uint64_t ticks, uint64_t since)
{
    return ticks >= since ? (double)(ticks - since) : -(double)(since - ticks);
}

static int add_pair(struct wm_curve *curve, const struct wm_trace_rank *rank, uint64_t ticks, uint64_t monotonic_ns)
{
    return wm_curve_add(curve, signed_ticks(ticks, rank->start.ticks),
                        signed_ticks(monotonic_ns, rank->start.monotonic_ns), PAIR_ERROR_NS);
}

static int find_own(struct wm_curve *curve, const struct wm_trace_rank *rank, const struct wm_syncs *syncs)
{
    struct wm_curve_rules rules = ticks_rules;
    int rc;

    rules.rate = 1e9 / rank->ticks_per_second;
    if (!rank->tsc)
        rules.alone_wander = 0; /* ticks are CLOCK_MONOTONIC already */
    wm_curve_init(curve, &rules);
    rc = wm_curve_add(curve, 0, 0, PAIR_ERROR_NS);
    for (size_t i = 0; i < syncs->pair_count && rc == 0 && rank->tsc; i++)
        rc = add_pair(curve, rank, syncs->pairs[i].ticks, syncs->pairs[i].monotonic_ns);
    if (rc == 0 && rank->closed && rank->tsc)
        rc = add_pair(curve, rank, rank->close.ticks, rank->close.monotonic_ns);
    if (rc == 0)
        wm_curve_finish(curve);
    return rc;
}

/* How far from the start the last pair lies. */
static double baseline(const struct wm_curve *own)
{
    return own->knots[own->count - 1].y;
}

/* Ranks that died young take the rate of the best clock of their machine: one processor clock drives them all, so that
 * at least they agree with each other. */
static void share_rate(const struct wm_trace *trace, struct wm_curve *own, int i)
{
    int best = i;

    if (!trace->ranks[i].tsc || own[i].count > 1)
        return;
    for (int j = 0; j < trace->rank_count; j++) {
        bool better = baseline(&own[j]) > baseline(&own[best]) || (baseline(&own[best]) == 0 && j < best);

        if (better && trace->ranks[j].tsc && wm_join_same_machine(&trace->ranks[i], &trace->ranks[j]))
            best = j;
    }
    if (own[best].count > 1) {
        own[i].knots[0].rate = baseline(&own[best]) / own[best].knots[own[best].count - 1].x;
        own[i].knots[0].wander = own[i].before_wander = SHARED_RATE_WANDER;
    } else {
        own[i].knots[0].rate = own[best].rules.rate;
    }
}

static int gather(struct layout *layout, struct wm_trace *trace)
{
    int rc = 0;

    layout->syncs = calloc((size_t)trace->rank_count, sizeof *layout->syncs);
    layout->own = calloc((size_t)trace->rank_count, sizeof *layout->own);
    if (layout->syncs == NULL || layout->own == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->rank_count && rc == 0; i++) {
        rc = wm_syncs_gather(&layout->syncs[i], &trace->ranks[i]);
        if (rc == 0)
            rc = find_own(&layout->own[i], &trace->ranks[i], &layout->syncs[i]);
    }
    for (int i = 0; i < trace->rank_count && rc == 0; i++)
        share_rate(trace, layout->own, i);
    return rc < 0 ? rc : wm_join_find(&layout->join, trace, layout->syncs, layout->own);
}

static void release(struct layout *layout, int ranks)
{
    for (int i = 0; i < ranks && layout->syncs != NULL; i++)
        wm_syncs_release(&layout->syncs[i]);
    for (int i = 0; i < ranks && layout->own != NULL; i++)
        wm_curve_release(&layout->own[i]);
    free(layout->syncs);
    free(layout->own);
    wm_join_release(&layout->join);
}

static int compare_lines(const void *a, const void *b)
{
    uint64_t x = ((const struct wm_clock_line *)a)->ticks, y = ((const struct wm_clock_line *)b)->ticks;

    return (x > y) - (x < y);
}

/* Where lines begin: at the knots of both curves, but not before the start. */
static int place_lines(struct wm_trace_rank *rank, const struct wm_curve *own, const struct wm_joint_clock *clock)
{
    double shift_ns = signed_ticks(clock->epoch_ns, rank->start.monotonic_ns);

    rank->lines = calloc(own->count + clock->curve.count, sizeof *rank->lines);
    if (rank->lines == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < own->count; i++)
        rank->lines[rank->line_count++].ticks = rank->start.ticks + (uint64_t)llround(own->knots[i].x);
    for (size_t i = 0; i < clock->curve.count; i++) {
        double since = wm_curve_inverse(own, clock->curve.knots[i].x + shift_ns);

        if (since >= 1)
            rank->lines[rank->line_count++].ticks = rank->start.ticks + (uint64_t)llround(since);
    }
    qsort(rank->lines, rank->line_count, sizeof *rank->lines, compare_lines);
    return 0;
}

/* Common time at `since` ticks after the start, and the errors of both curves. */
static double find_time(const struct layout *layout, const struct wm_trace *trace, int i, double since, double *own_ns,
                        double *all_ns)
{
    double monotonic_ns = wm_curve_at(&layout->own[i], since, own_ns);
    double at_ns =
        wm_join_at(&layout->join, layout->join.of_rank[i], trace->ranks[i].start.monotonic_ns, monotonic_ns, all_ns);

    *all_ns += *own_ns;
    return at_ns;
}

static void find_wander(const struct layout *layout, const struct wm_trace *trace, int i, double since,
                        struct wm_clock_line *line)
{
    const struct wm_joint_clock *clock = &layout->join.clocks[layout->join.of_rank[i]];
    double ignored, x = signed_ticks(trace->ranks[i].start.monotonic_ns, clock->epoch_ns) +
                        wm_curve_at(&layout->own[i], since, &ignored);

    line->own.wander = wm_curve_wander(&layout->own[i], since);
    line->all.wander = line->own.wander + (clock->curve.count > 0 ? wm_curve_wander(&clock->curve, x) : 0);
}

/* The line from here to the next, or, of the last, to a second later. Bounds jump at knots: they are asked for a tick
 * inside. */
static void lay_line(const struct layout *layout, const struct wm_trace *trace, int i, size_t k)
{
    struct wm_trace_rank *rank = &trace->ranks[i];
    struct wm_clock_line *line = &rank->lines[k];
    double from = signed_ticks(line->ticks, rank->start.ticks), ignored;
    double to = k + 1 < rank->line_count ? signed_ticks(rank->lines[k + 1].ticks, rank->start.ticks)
                                         : from + rank->ticks_per_second;
    double inside = fmin(1, (to - from) / 2);

    line->at_ns = find_time(layout, trace, i, from, &ignored, &ignored);
    line->ns_per_tick = (find_time(layout, trace, i, to, &ignored, &ignored) - line->at_ns) / (to - from);
    find_time(layout, trace, i, from + inside, &line->own.begin_ns, &line->all.begin_ns);
    find_time(layout, trace, i, to - inside, &line->own.end_ns, &line->all.end_ns);
    find_wander(layout, trace, i, (from + to) / 2, line);
}

static int lay_lines(struct layout *layout, struct wm_trace *trace, int i)
{
    struct wm_trace_rank *rank = &trace->ranks[i];
    size_t kept = 0;

    if (place_lines(rank, &layout->own[i], &layout->join.clocks[layout->join.of_rank[i]]) < 0)
        return -WM_ENOMEM;
    for (size_t k = 0; k < rank->line_count; k++)
        if (kept == 0 || rank->lines[k].ticks > rank->lines[kept - 1].ticks)
            rank->lines[kept++].ticks = rank->lines[k].ticks;
    rank->line_count = kept;
    for (size_t k = 0; k < rank->line_count; k++)
        lay_line(layout, trace, i, k);
    return 0;
}

/* A rank ends after it began, and not years later: else that is damage. */
static int64_t end_within(const struct wm_trace_rank *rank, int64_t end_ns)
{
    if (end_ns < rank->start_ns)
        return rank->start_ns;
    return end_ns < rank->start_ns + LIFE_MAX_NS ? end_ns : rank->start_ns + LIFE_MAX_NS;
}

static void set_bounds(struct wm_trace_rank *rank)
{
    rank->start_ns = rank->end_ns = wm_trace_ns(rank, rank->start.ticks);
    if (rank->closed)
        rank->end_ns = end_within(rank, wm_trace_ns(rank, rank->close.ticks));
    for (uint64_t back = 0; back < rank->count; back++) {
        const struct wm_trace_record *last = wm_trace_record_get(rank, rank->first + rank->count - 1 - back);
        int64_t time_ns;

        if (last == NULL)
            continue;
        time_ns = wm_trace_ns(rank, last->time_ticks);
        if (!rank->closed && time_ns > rank->end_ns)
            rank->end_ns = end_within(rank, time_ns);
        return;
    }
}

static void move_lines(struct wm_trace_rank *rank, double by_ns)
{
    for (size_t k = 0; k < rank->line_count; k++)
        rank->lines[k].at_ns += by_ns;
}

/* No job lives so long that its ranks could begin so far apart: one of the clocks is damaged. */
static int bring_together(struct wm_trace *trace)
{
    const struct wm_trace_rank *first = &trace->ranks[0];
    int rc = 0;

    for (int i = 1; i < trace->rank_count && rc == 0; i++) {
        struct wm_trace_rank *rank = &trace->ranks[i];
        double apart_ns = rank->lines[0].at_ns - first->lines[0].at_ns;

        if (fabs(apart_ns) <= (double)LIFE_MAX_NS)
            continue;
        move_lines(rank, -apart_ns);
        rc = wm_trace_warn(trace,
                           "the clocks of rank %d and rank %d stand more than 100 days apart: they are taken to have "
                           "begun together",
                           rank->rank, first->rank);
    }
    return rc;
}

/* Time begins at the earliest start. */
static void set_origin(struct wm_trace *trace)
{
    double earliest_ns = INFINITY;

    for (int i = 0; i < trace->rank_count; i++)
        earliest_ns = fmin(earliest_ns, trace->ranks[i].lines[0].at_ns);
    for (int i = 0; i < trace->rank_count; i++) {
        struct wm_trace_rank *rank = &trace->ranks[i];

        move_lines(rank, -earliest_ns);
        set_bounds(rank);
    }
}

/* Within a line the bound is greatest near the middle, or at an end. */
static int64_t worst_error(const struct wm_trace_rank *rank)
{
    double worst_ns = (double)wm_trace_error_ns(rank, rank->end_ns);

    for (size_t k = 0; k + 1 < rank->line_count; k++) {
        int64_t middle_ns = llround((rank->lines[k].at_ns + rank->lines[k + 1].at_ns) / 2);

        worst_ns = fmax(worst_ns, (double)wm_trace_error_ns(rank, middle_ns));
        worst_ns = fmax(worst_ns, fmax(rank->lines[k].all.begin_ns, rank->lines[k].all.end_ns));
    }
    return llround(fmin(worst_ns, TIME_MAX_NS));
}

int wm_trace_align(struct wm_trace *trace)
{
    struct layout layout = {0};
    int rc = gather(&layout, trace);

    for (int i = 0; i < trace->rank_count && rc >= 0; i++)
        rc = lay_lines(&layout, trace, i);
    release(&layout, trace->rank_count);
    if (rc < 0)
        return rc;
    if ((rc = bring_together(trace)) < 0)
        return rc;
    set_origin(trace);
    for (int i = 0; i < trace->rank_count; i++) {
        int64_t error_ns = worst_error(&trace->ranks[i]);

        trace->clock_error_ns = error_ns > trace->clock_error_ns ? error_ns : trace->clock_error_ns;
    }
    return 0;
}

/* The line that `ticks` falls on: usually the one of the last question or the next. */
static const struct wm_clock_line *line_of(struct wm_trace_rank *rank, uint64_t ticks)
{
    size_t hint = rank->line_hint;

    if (rank->lines[hint].ticks > ticks || (hint + 1 < rank->line_count && rank->lines[hint + 1].ticks <= ticks))
        rank->line_hint = WM_LAST_WHILE(i, rank->line_count, rank->lines[i].ticks <= ticks);
    return &rank->lines[rank->line_hint];
}

int64_t wm_trace_ns(struct wm_trace_rank *rank, uint64_t ticks)
{
    const struct wm_clock_line *line = line_of(rank, ticks);
    double ns = line->at_ns + signed_ticks(ticks, line->ticks) * line->ns_per_tick;

    return llround(fmax(-TIME_MAX_NS, fmin(TIME_MAX_NS, ns)));
}

int64_t wm_trace_duration_ns(const struct wm_trace_rank *rank, uint64_t ticks)
{
    return llround(fmin(TIME_MAX_NS, (double)ticks * rank->lines[0].ns_per_tick));
}

/* The line that a time on the common clock falls on; the first for those before it. */
static size_t line_at(const struct wm_trace_rank *rank, double time_ns)
{
    return WM_LAST_WHILE(i, rank->line_count, rank->lines[i].at_ns <= time_ns);
}

static int64_t bound_at(const struct wm_trace_rank *rank, int64_t time_ns, bool own)
{
    size_t k = line_at(rank, (double)time_ns);
    const struct wm_clock_line *line = &rank->lines[k];
    const struct bound *bound = own ? &line->own : &line->all;
    double since_ns = (double)time_ns - line->at_ns;
    double error_ns = bound->begin_ns + fabs(since_ns) * bound->wander;

    if (since_ns >= 0 && k + 1 < rank->line_count)
        error_ns = fmin(error_ns, bound->end_ns + (line[1].at_ns - (double)time_ns) * bound->wander);
    return llround(fmin(TIME_MAX_NS, error_ns));
}

int64_t wm_trace_error_ns(const struct wm_trace_rank *rank, int64_t time_ns)
{
    return bound_at(rank, time_ns, false);
}

int64_t wm_trace_apart_ns(const struct wm_trace_rank *a, const struct wm_trace_rank *b, int64_t time_ns)
{
    bool own = a->clock == b->clock;

    return bound_at(a, time_ns, own) + bound_at(b, time_ns, own);
}

bool wm_trace_plausible(const struct wm_trace_rank *rank, int64_t time_ns)
{
    static const int64_t slack_ns = 10000000000; /* 10 s */

    return time_ns >= rank->start_ns - slack_ns &&
           time_ns <= (rank->closed ? rank->end_ns + slack_ns : rank->start_ns + LIFE_MAX_NS);
}
