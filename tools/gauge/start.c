/* Calls timed from a common start. */
#include "tools/gauge/start.h"

#include <time.h>
#include "core/clock/over_mpi.h"
#include "tracer/clock.h"

enum { EXCHANGES = 3 };

/* What a rank may need to be woken. */
static const int64_t wake_ns = 200000;

/* By rank 0's clock. */
static int64_t now_ns(const struct wm_gauge_start *s)
{
    return (int64_t)wm_clock_monotonic_ns() + s->ahead_ns;
}

double wm_gauge_start_compare(struct wm_gauge_start *s)
{
    const struct wm_clock_way way = wm_clock_over_mpi(&(struct wm_clock_comm){.comm = s->own});
    struct wm_clock_view view;
    double took;
    int64_t begin;
    int rank, ranks;

    PMPI_Comm_rank(s->own, &rank);
    PMPI_Comm_size(s->own, &ranks);
    wm_clock_compare(&way, rank, ranks, EXCHANGES, &view);
    s->ahead_ns = view.ahead_ns;
    MPI_Barrier(s->comm);
    begin = now_ns(s);
    MPI_Barrier(s->comm);
    took = (double)(now_ns(s) - begin);
    PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_SUM, s->own);
    took /= ranks;
    s->lead_ns = 2 * (int64_t)took + wake_ns;
    return took;
}

static void sleep_until(int64_t at_ns)
{
    struct timespec t = {.tv_sec = (time_t)(at_ns / 1000000000), .tv_nsec = (long)(at_ns % 1000000000)};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

double wm_gauge_start_ns(const struct wm_gauge_start *s, const struct wm_bench *bench,
                         const struct wm_bench_contender *contender, int calls)
{
    int64_t start = now_ns(s) + s->lead_ns;
    double sum = 0;

    MPI_Bcast(&start, 1, MPI_INT64_T, 0, s->comm);
    for (int i = 0; i < calls; i++) {
        int64_t last[2];

        sleep_until(start - s->ahead_ns);
        last[0] = now_ns(s);
        wm_bench_run(bench, contender, 1);
        last[1] = now_ns(s);
        PMPI_Allreduce(MPI_IN_PLACE, last, 2, MPI_INT64_T, MPI_MAX, s->own);
        sum += (double)(last[1] - last[0]);
        start = last[1] + s->lead_ns;
    }
    return sum / calls;
}
