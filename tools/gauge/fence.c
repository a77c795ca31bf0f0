/* Calls timed between fences. */
#include "tools/gauge/fence.h"

#include "tracer/clock.h"

enum { CALLS_MAX = 1 << 12, WARM = 2 };

double wm_gauge_fence_ns(const struct wm_gauge_fence *fence, const struct wm_bench *bench,
                         const struct wm_bench_contender *contender, int calls)
{
    uint64_t begin = 0;
    double took;
    int ranks;

    for (int i = -WARM; i < calls; i++) {
        if (i == 0)
            begin = wm_clock_monotonic_ns();
        if (bench != NULL)
            wm_bench_run(bench, contender, 1);
        if (fence->comm != MPI_COMM_NULL)
            MPI_Barrier(fence->comm);
    }
    took = (double)(wm_clock_monotonic_ns() - begin) / calls;
    PMPI_Comm_size(fence->own, &ranks);
    PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_SUM, fence->own);
    return took / ranks;
}

int wm_gauge_fence_calls(const struct wm_gauge_fence *fence, const struct wm_bench *bench,
                         const struct wm_bench_contender *contender)
{
    int calls = 1;

    while (calls < CALLS_MAX && wm_gauge_fence_ns(fence, bench, contender, calls) * calls < fence->batch_ns / 2)
        calls *= 2;
    return calls;
}
