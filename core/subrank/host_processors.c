/* Where workers run: each on a processor of its own, where there are enough. */
#include <sched.h>
#include <stdio.h>
#include "core/process/process.h"
#include "core/subrank/host.h"
#include "core/subrank/world.h"

static int nth_processor(const cpu_set_t *set, int n)
{
    int processor = 0;

    while (!CPU_ISSET(processor, set) || n-- > 0)
        processor++;
    return processor;
}

static void tell(int processors, bool bound)
{
    if (wm_process.settings.verbose == 0 || wm_process.world_rank != 0)
        return;
    if (processors < wm_host.workers)
        fprintf(stderr,
                "waymark: the %d workers of a process share processors, of which it is bound to %d; let mpirun have "
                "--bind-to none, or --map-by slot:PE=%d\n",
                wm_host.workers, processors, wm_host.workers);
    else
        fprintf(stderr, "waymark: the %d workers of a process run %s\n", wm_host.workers,
                bound ? "on a processor each" : "where the kernel has them run");
}

/* Processes that are not bound have the same processors, and each takes some of its own. One that is bound to as many
 * as it has workers has them alone. Else processors may be others', too, and the kernel deals them out better. */
const int *wm_host_processors(void)
{
    cpu_set_t set;
    int place, processes, count, *processors = NULL;

    if (wm_host.workers == 1 || sched_getaffinity(0, sizeof set, &set) != 0)
        return NULL;
    count = CPU_COUNT(&set);
    wm_world_find_neighbours(&place, &processes);
    if (count == wm_host.workers || count >= wm_host.workers * processes)
        processors = malloc((size_t)wm_host.workers * sizeof *processors);
    for (int i = 0; processors != NULL && i < wm_host.workers; i++)
        processors[i] = nth_processor(&set, (place * wm_host.workers + i) % count);
    tell(count, processors != NULL);
    return processors;
}
