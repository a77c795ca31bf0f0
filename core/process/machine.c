/* The machine: nodes by MPI's shared-memory split, sockets and NUMA domains by hwloc. */
#include "core/process/machine.h"

#include <hwloc.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* The object of `type` that holds the whole of `cpus`; NULL: there is none. */
static hwloc_obj_t find_object(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus)
{
    hwloc_obj_t object = NULL;

    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != NULL)
        if (object->cpuset != NULL && hwloc_bitmap_isincluded(cpus, object->cpuset))
            return object;
    return NULL;
}

/* Its logical index; 0 when there is none. */
static int object_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus)
{
    hwloc_obj_t object = find_object(topology, type, cpus);

    return object != NULL ? (int)object->logical_index : 0;
}

/* Ask about the processors that this process may use. */
static void ask_hwloc(void (*ask)(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, void *answer), void *answer)
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

static void ask_place(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, void *answer)
{
    struct wm_place *place = answer;

    place->socket = object_of(topology, HWLOC_OBJ_PACKAGE, cpus);
    place->numa = object_of(topology, HWLOC_OBJ_NUMANODE, cpus);
}

/* A cache is called by a processor and not by its index, which counts only what this process may see. */
static void ask_cache(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, void *answer)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L2CACHE};
    hwloc_obj_t object = NULL;

    for (size_t i = 0; object == NULL && i < sizeof types / sizeof types[0]; i++)
        object = find_object(topology, types[i], cpus);
    if (object != NULL && object->complete_cpuset != NULL)
        *(int *)answer = hwloc_bitmap_first(object->complete_cpuset);
}

static int cache = -1;

static void find_cache(void)
{
    ask_hwloc(ask_cache, &cache);
}

int wm_machine_cache(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_cache);
    return cache;
}

int wm_machine_places(MPI_Comm comm, bool sockets, struct wm_place *places)
{
    struct wm_place own = {0};
    MPI_Comm node;
    int rc;

    PMPI_Comm_rank(comm, &own.world_rank);
    gethostname(own.host, sizeof own.host - 1);
    if (sockets)
        ask_hwloc(ask_place, &own);
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, own.world_rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return -WM_EMPI;
    own.node = own.world_rank; /* the node is called by its first rank */
    rc = PMPI_Bcast(&own.node, 1, MPI_INT, 0, node);
    PMPI_Comm_free(&node);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Allgather(&own, sizeof own, MPI_BYTE, places, sizeof own, MPI_BYTE, comm);
    return rc == MPI_SUCCESS ? 0 : -WM_EMPI;
}
