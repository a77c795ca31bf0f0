/* The processors of this process, and the cache that they share. */
#include "core/node/processor.h"

#include <pthread.h>

hwloc_obj_t wm_processor_object(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus)
{
    hwloc_obj_t object = NULL;

    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != NULL)
        if (object->cpuset != NULL && hwloc_bitmap_isincluded(cpus, object->cpuset))
            return object;
    return NULL;
}

void wm_processor_ask(void (*ask)(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, void *answer), void *answer)
{
    hwloc_topology_t topology;
    hwloc_cpuset_t cpus;

    if (hwloc_topology_init(&topology) < 0)
        return;
    cpus = hwloc_bitmap_alloc();
    if (cpus != NULL && hwloc_topology_load(topology) == 0 &&
        hwloc_get_cpubind(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0)
        ask(topology, cpus, answer);
    hwloc_bitmap_free(cpus);
    hwloc_topology_destroy(topology);
}

/* A cache is called by a processor and not by its index, which counts only what this process may see. */
static void ask_cache(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, void *answer)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L2CACHE};
    hwloc_obj_t object = NULL;

    for (size_t i = 0; object == NULL && i < sizeof types / sizeof types[0]; i++)
        object = wm_processor_object(topology, types[i], cpus);
    if (object != NULL && object->complete_cpuset != NULL)
        *(int *)answer = hwloc_bitmap_first(object->complete_cpuset);
}

static int cache = -1;

static void find_cache(void)
{
    wm_processor_ask(ask_cache, &cache);
}

int wm_processor_cache(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_cache);
    return cache;
}
