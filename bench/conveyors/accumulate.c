/* One-sided MPI as a contender: each item is an MPI_Accumulate of 8 bytes at a random rank. */
#include <mpi.h>
#include <stdlib.h>
#include "bench/conveyors/contender.h"

/* So many of a run's items are measured, since each takes microseconds. */
enum { SLOTS = 1024, ITEMS = 2000 };

struct window {
    MPI_Win win;
    uint64_t *slot;       /* [SLOTS] */
    uint64_t item[ITEMS]; /* they must stand until the epoch is over */
};

static void *open_window(const struct bench_contender *contender, const struct bench_settings *settings,
                         const struct bench_case *c)
{
    struct window *w;

    (void)contender;
    (void)settings;
    if (c->item_bytes != sizeof(uint64_t))
        return NULL;
    w = malloc(sizeof *w);
    MPI_Win_allocate(SLOTS * sizeof *w->slot, sizeof *w->slot, MPI_INFO_NULL, MPI_COMM_WORLD, &w->slot, &w->win);
    for (int i = 0; i < SLOTS; i++)
        w->slot[i] = 0;
    return w;
}

static void close_window(void *state)
{
    struct window *w = state;

    MPI_Win_free(&w->win);
    free(w);
}

static uint64_t sum_up(const struct window *w)
{
    uint64_t sum = 0;

    for (int i = 0; i < SLOTS; i++)
        sum += w->slot[i];
    return sum;
}

static void run_window(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct window *w = state;
    uint64_t number = bench_next(k->seed), before = sum_up(w);
    int64_t items = k->items < ITEMS ? k->items : ITEMS;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    MPI_Win_lock_all(0, w->win);
    for (int64_t i = 0; i < items; i++) {
        w->item[i] = number;
        MPI_Accumulate(&w->item[i], 1, MPI_UINT64_T, (int)bench_destination(number, k->ranks),
                       (MPI_Aint)(number >> 20) % SLOTS, 1, MPI_UINT64_T, MPI_SUM, w->win);
        run->pushed += number;
        number = bench_next(number);
    }
    MPI_Win_unlock_all(w->win);
    run->seconds += (bench_seconds() - start) * (items > 0 ? (double)k->items / (double)items : 1);
    MPI_Barrier(MPI_COMM_WORLD);
    run->pulled += sum_up(w) - before;
}

const struct bench_contender bench_accumulate = {
    .name = "accumulate",
    .meaning = "MPI_Accumulate of each item (of 8 bytes; 2000 of them)",
    .bare = true,
    .open = open_window,
    .run = run_window,
    .close = close_window,
};
