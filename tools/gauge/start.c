/* Calls timed from a common start. */
#include "tools/gauge/start.h"

#include <time.h>
#include "tracer/clock.h"
#include "tracer/interval.h"

enum { EXCHANGES = 3, PING_TAG = 0, PONG_TAG };

/* What a rank may need to be woken. */
static const int64_t wake_ns = 200000;

/* By rank 0's clock. */
static int64_t now_ns(const struct wm_gauge_start *s)
{
    return (int64_t)wm_clock_monotonic_ns() + s->ahead_ns;
}

/* Learn rank 0's clock from a rank that knows it. */
static void ask(struct wm_gauge_start *s, int peer)
{
    struct wm_interval interval;
    struct wm_offset offset;

    wm_interval_clear(&interval);
    for (int i = 0; i < EXCHANGES; i++) {
        struct wm_clock_exchange exchange = {.sent_ns = wm_clock_monotonic_ns()};
        int64_t there_ns;

        PMPI_Send(NULL, 0, MPI_BYTE, peer, PING_TAG, s->own);
        PMPI_Recv(&there_ns, 1, MPI_INT64_T, peer, PONG_TAG, s->own, MPI_STATUS_IGNORE);
        exchange.back_ns = wm_clock_monotonic_ns();
        exchange.there_in_ns = exchange.there_out_ns = (uint64_t)there_ns;
        wm_interval_add(&interval, &exchange);
    }
    s->ahead_ns = wm_interval_offset(&interval, &offset) && !wm_offset_is_zero(&offset) ? offset.offset_ns : 0;
}

static void answer(const struct wm_gauge_start *s, int peer)
{
    for (int i = 0; i < EXCHANGES; i++) {
        int64_t here_ns;

        PMPI_Recv(NULL, 0, MPI_BYTE, peer, PING_TAG, s->own, MPI_STATUS_IGNORE);
        here_ns = now_ns(s);
        PMPI_Send(&here_ns, 1, MPI_INT64_T, peer, PONG_TAG, s->own);
    }
}

/* Down a binomial tree, large subtrees first. Not by collectives: a rank that is near rank 0 waits there for those that
 * are far, and that is no time of its own messages. */
static void compare_clocks(struct wm_gauge_start *s)
{
    int rank, ranks, reach = 1;

    PMPI_Comm_rank(s->own, &rank);
    PMPI_Comm_size(s->own, &ranks);
    while (rank == 0 ? reach < ranks : (rank & reach) == 0)
        reach *= 2;
    s->ahead_ns = 0;
    if (rank > 0)
        ask(s, rank - reach);
    for (int step = reach / 2; step > 0; step /= 2)
        if (rank + step < ranks)
            answer(s, rank + step);
}

double wm_gauge_start_compare(struct wm_gauge_start *s)
{
    double took;
    int64_t begin;
    int ranks;

    compare_clocks(s);
    MPI_Barrier(s->comm);
    begin = now_ns(s);
    MPI_Barrier(s->comm);
    took = (double)(now_ns(s) - begin);
    PMPI_Comm_size(s->own, &ranks);
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
