/* From each rank's ticks to nanoseconds on one clock: straight lines through the pairs that its trace holds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tracer/reader.h"

/* From `ticks` on, time is at_ns + (t - ticks) * ns_per_tick. */
struct wm_clock_line {
    uint64_t ticks;
    double at_ns, ns_per_tick;
};

static const double RATE_TOLERANCE = 1e-3; /* a pair that bends the clock by more is damaged */
static const double TIME_MAX_NS = 9e17;    /* 28 years: damaged times end here instead of overflowing */

static double signed_ticks(uint64_t ticks, uint64_t since)
{
    return ticks >= since ? (double)(ticks - since) : -(double)(since - ticks);
}

/* Add a pair if it fits: later than the last one, and at the rate that the rank measured. */
static void add_pair(struct wm_trace_rank *rank, uint64_t ticks, uint64_t monotonic_ns)
{
    struct wm_clock_line *last = &rank->lines[rank->line_count - 1];
    double at_ns = signed_ticks(monotonic_ns, rank->start.monotonic_ns);
    double expected = 1e9 / rank->ticks_per_second;
    double rate;

    if (ticks <= last->ticks)
        return;
    rate = (at_ns - last->at_ns) / (double)(ticks - last->ticks);
    /* Pairs that lie near each other give a coarse rate; some hundred ns of error must not bend the line. */
    if (fabs(rate / expected - 1) > RATE_TOLERANCE || at_ns - last->at_ns < 1e6)
        return;
    last->ns_per_tick = rate;
    rank->lines[rank->line_count++] = (struct wm_clock_line){ticks, at_ns, rate};
}

/* Lines in nanoseconds since the rank's own start. */
static int lay_lines(struct wm_trace_rank *rank)
{
    const struct wm_trace_record *record;
    size_t pairs = 2;

    for (uint64_t number = 0; (record = wm_trace_next(rank, &number)) != NULL;)
        pairs += record->kind == WM_TRACE_CLOCK;
    rank->lines = calloc(pairs, sizeof *rank->lines);
    if (rank->lines == NULL)
        return -WM_ENOMEM;
    rank->line_count = 1;
    rank->lines[0] = (struct wm_clock_line){rank->start.ticks, 0, 1e9 / rank->ticks_per_second};
    if (!rank->tsc)
        return 0; /* ticks are CLOCK_MONOTONIC already */
    for (uint64_t number = 0; (record = wm_trace_next(rank, &number)) != NULL;)
        if (record->kind == WM_TRACE_CLOCK)
            add_pair(rank, record->time_ticks, record->argument);
    if (rank->closed)
        add_pair(rank, rank->close.ticks, rank->close.monotonic_ns);
    return 0;
}

/* Do two ranks share CLOCK_MONOTONIC? Wall clocks that stand apart by seconds betray a time namespace. */
static bool same_machine(const struct wm_trace_rank *a, const struct wm_trace_rank *b)
{
    double shift = signed_ticks(a->start.realtime_ns, a->start.monotonic_ns) -
                   signed_ticks(b->start.realtime_ns, b->start.monotonic_ns);

    if (a->boot[0] != '\0' && b->boot[0] != '\0')
        return strcmp(a->boot, b->boot) == 0 && fabs(shift) < 5e9;
    return strcmp(a->host, b->host) == 0;
}

/* The rank's longest line: how far from the start its last pair lies. */
static double baseline(const struct wm_trace_rank *rank)
{
    return rank->lines[rank->line_count - 1].at_ns;
}

/* Ranks that died young take the rate of the best clock of their machine: one processor clock drives them
 * all, so that at least they agree with each other. */
static void share_rate(struct wm_trace *trace, struct wm_trace_rank *rank)
{
    const struct wm_trace_rank *best = rank;

    if (!rank->tsc || rank->line_count > 1)
        return;
    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *other = &trace->ranks[i];
        bool better = baseline(other) > baseline(best) || (baseline(best) == 0 && other->rank < best->rank);

        if (other->tsc && better && same_machine(rank, other))
            best = other;
    }
    rank->lines[0].ns_per_tick =
        best->line_count > 1 ? baseline(best) / (double)(best->lines[best->line_count - 1].ticks - best->start.ticks)
                             : 1e9 / best->ticks_per_second;
}

/* Where the rank's start lies on the common clock. */
static double start_of(const struct wm_trace *trace, const struct wm_trace_rank *rank)
{
    const struct wm_trace_rank *first = &trace->ranks[0];

    return trace->several_clocks ? signed_ticks(rank->start.realtime_ns, first->start.realtime_ns)
                                 : signed_ticks(rank->start.monotonic_ns, first->start.monotonic_ns);
}

static void set_bounds(struct wm_trace_rank *rank)
{
    rank->start_ns = rank->end_ns = wm_trace_ns(rank, rank->start.ticks);
    if (rank->closed)
        rank->end_ns = wm_trace_ns(rank, rank->close.ticks);
    for (uint64_t back = 0; back < rank->count; back++) {
        const struct wm_trace_record *last = wm_trace_record_get(rank, rank->first + rank->count - 1 - back);
        int64_t time_ns;

        if (last == NULL)
            continue;
        time_ns = wm_trace_ns(rank, last->time_ticks);
        if (!rank->closed && time_ns > rank->end_ns)
            rank->end_ns = time_ns;
        return;
    }
}

int wm_trace_align(struct wm_trace *trace)
{
    double earliest = INFINITY;
    int rc = 0;

    for (int i = 0; i < trace->rank_count && rc >= 0; i++)
        rc = lay_lines(&trace->ranks[i]);
    if (rc < 0)
        return rc;
    for (int i = 0; i < trace->rank_count; i++) {
        share_rate(trace, &trace->ranks[i]);
        trace->several_clocks |= !same_machine(&trace->ranks[0], &trace->ranks[i]);
    }
    for (int i = 0; i < trace->rank_count; i++)
        earliest = fmin(earliest, start_of(trace, &trace->ranks[i]));
    for (int i = 0; i < trace->rank_count; i++) {
        struct wm_trace_rank *rank = &trace->ranks[i];
        double shift = start_of(trace, rank) - earliest;

        for (size_t k = 0; k < rank->line_count; k++)
            rank->lines[k].at_ns += shift;
        set_bounds(rank);
    }
    return 0;
}

/* The line that `ticks` falls on: usually the one of the last question or the next. */
static const struct wm_clock_line *line_of(struct wm_trace_rank *rank, uint64_t ticks)
{
    size_t low = 0, high = rank->line_count, hint = rank->line_hint;

    if (rank->lines[hint].ticks <= ticks) {
        if (hint + 1 == high || ticks < rank->lines[hint + 1].ticks)
            return &rank->lines[hint];
        low = hint + 1;
    } else {
        high = hint;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (rank->lines[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    rank->line_hint = low;
    return &rank->lines[low];
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

int64_t wm_trace_error_ns(const struct wm_trace_rank *rank, int64_t time_ns)
{
    (void)rank, (void)time_ns;
    return 50;
}

bool wm_trace_plausible(const struct wm_trace_rank *rank, int64_t time_ns)
{
    static const int64_t slack_ns = 10000000000, life_max_ns = 8640000000000000; /* 10 s, 100 days */

    return time_ns >= rank->start_ns - slack_ns &&
           time_ns <= (rank->closed ? rank->end_ns + slack_ns : rank->start_ns + life_max_ns);
}
