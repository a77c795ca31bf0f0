/* Earlier runs: does a rank's file belong to another run than the newest one of the directory? */
#include <math.h>
#include <string.h>
#include "tracer/reader.h"

static const double SAME_CLOCK_NS = 5e9;      /* wall clocks further apart betray another time namespace */
static const double CLOSED_SLACK_NS = 1e8;    /* to start a job takes longer */
static const double UNCLOSED_SLACK_NS = 6e10; /* ranks of one job may start so long after each other */

static double signed_ns(uint64_t ns, uint64_t since_ns)
{
    return ns >= since_ns ? (double)(ns - since_ns) : -(double)(since_ns - ns);
}

/* CLOCK_MONOTONIC tells both their times: it never goes back, as wall clocks do. */
static bool one_clock(const struct wm_trace_rank *a, const struct wm_trace_rank *b)
{
    double shift =
        signed_ns(a->start.realtime_ns, b->start.realtime_ns) - signed_ns(a->start.monotonic_ns, b->start.monotonic_ns);

    return a->boot[0] != '\0' && strcmp(a->boot, b->boot) == 0 && fabs(shift) < SAME_CLOCK_NS;
}

/* The last sign of life, in CLOCK_MONOTONIC: the closing pair, or the last record that lies behind the start. */
static double end_of(const struct wm_trace_rank *rank)
{
    if (rank->closed)
        return (double)rank->close.monotonic_ns + CLOSED_SLACK_NS;
    for (uint64_t back = 1; back <= rank->count; back++) {
        const struct wm_trace_record *record = wm_trace_record_get(rank, rank->first + rank->count - back);

        if (record != NULL && record->time_ticks >= rank->start.ticks)
            return (double)rank->start.monotonic_ns +
                   (double)(record->time_ticks - rank->start.ticks) * 1e9 / rank->ticks_per_second + UNCLOSED_SLACK_NS;
    }
    return INFINITY;
}

bool wm_trace_is_earlier(const struct wm_trace_rank *rank, const struct wm_trace_rank *newest)
{
    if (rank->ranks > 0 && rank->ranks != newest->ranks)
        return true;
    return one_clock(rank, newest) && end_of(rank) < (double)newest->start.monotonic_ns;
}
