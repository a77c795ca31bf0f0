/* Calls timed from a common start. */
#include "tools/gauge/start.h"

#include <time.h>
#include "tracer/clock.h"
#include "tracer/interval.h"

enum { COMPARISONS = 4 };

/* What a rank may need to be woken. */
static const int64_t wake_ns = 200000;

static void lower(int64_t *least, uint64_t ns)
{
    *least = (int64_t)ns < *least ? (int64_t)ns : *least;
}

double wm_gauge_start_compare(struct wm_gauge_start *s)
{
    struct wm_interval interval;
    struct wm_offset offset;
    int64_t least[2] = {INT64_MAX, INT64_MAX}; /* of a barrier; of it and a bcast */
    uint64_t there[2], here_ns;

    wm_interval_clear(&interval);
    for (int i = 0; i < COMPARISONS; i++) {
        struct wm_clock_exchange exchange = {.sent_ns = wm_clock_monotonic_ns()};

        MPI_Barrier(s->comm); /* rank 0 is through when this one has come */
        here_ns = there[0] = there[1] = wm_clock_monotonic_ns();
        MPI_Bcast(there, 2, MPI_UINT64_T, 0, s->comm);
        exchange.back_ns = wm_clock_monotonic_ns();
        exchange.there_in_ns = there[0];
        exchange.there_out_ns = there[1];
        wm_interval_add(&interval, &exchange);
        lower(&least[0], here_ns - exchange.sent_ns);
        lower(&least[1], exchange.back_ns - exchange.sent_ns);
    }
    s->ahead_ns = wm_interval_offset(&interval, &offset) && !wm_offset_is_zero(&offset) ? offset.offset_ns : 0;
    PMPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MAX, s->own);
    s->lead_ns = least[1] + wake_ns;
    return (double)least[0];
}

static void sleep_until(int64_t at_ns)
{
    struct timespec t = {.tv_sec = (time_t)(at_ns / 1000000000), .tv_nsec = (long)(at_ns % 1000000000)};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* By rank 0's clock. */
static int64_t now_ns(const struct wm_gauge_start *s)
{
    return (int64_t)wm_clock_monotonic_ns() + s->ahead_ns;
}

double wm_gauge_start_ns(const struct wm_gauge_start *s, const struct wm_bench *bench,
                         const struct wm_bench_contender *contender, int calls)
{
    double sum = 0;

    for (int i = 0; i < calls; i++) {
        int64_t start = now_ns(s) + s->lead_ns, last[2];

        MPI_Bcast(&start, 1, MPI_INT64_T, 0, s->comm);
        sleep_until(start - s->ahead_ns);
        last[0] = now_ns(s);
        wm_bench_run(bench, contender, 1);
        last[1] = now_ns(s);
        PMPI_Allreduce(MPI_IN_PLACE, last, 2, MPI_INT64_T, MPI_MAX, s->own);
        sum += (double)(last[1] - last[0]);
    }
    return sum / calls;
}
