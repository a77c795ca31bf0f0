/* Conveyors as contenders make them. */
#include <mpi.h>
#include "bench/conveyors/conveyor.h"
#include "waymark/convey.h"

int64_t bench_local(const struct bench_settings *settings, int ranks)
{
    int64_t local = 1;

    if (settings->n_local > 0)
        return settings->n_local;
    for (int64_t n = 1; n * n <= ranks; n++)
        if (ranks % n == 0)
            local = n;
    return local;
}

static convey_t *tensor(int hops, const struct bench_settings *s, const struct bench_case *c, size_t bound)
{
    size_t capacity = (size_t)s->capacity, buffers = (size_t)s->buffers;
    size_t local = (size_t)bench_local(s, c->ranks);

    if (hops > 1 && (local < 2 || (int)local == c->ranks))
        return NULL;
    if (bound > 0)
        return convey_new_etensor(capacity, bound, hops, local, buffers, NULL, 0);
    return convey_new_tensor(capacity, hops, local, buffers, NULL, 0);
}

convey_t *bench_conveyor(const struct bench_contender *contender, const struct bench_settings *settings,
                         const struct bench_case *c, size_t bound)
{
    if (contender->hops > 0)
        return tensor(contender->hops, settings, c, bound);
    if (bound > 0)
        return convey_new_elastic(bound, SIZE_MAX, 0, NULL, 0);
    return convey_new(SIZE_MAX, 0, NULL, 0);
}

double bench_begin(convey_t *c, size_t item_bytes, struct bench_run *run)
{
    double start = bench_seconds();

    if (convey_begin(c, item_bytes, 0) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    run->life_seconds += bench_seconds() - start;
    MPI_Barrier(MPI_COMM_WORLD);
    return bench_seconds();
}

void bench_end(convey_t *c, double start, struct bench_run *run)
{
    struct convey_live live;

    run->seconds += bench_seconds() - start;
    if (convey_live(c, &live) == convey_OK)
        run->hops = live.hops;
    start = bench_seconds();
    convey_reset(c);
    run->life_seconds += bench_seconds() - start;
}
