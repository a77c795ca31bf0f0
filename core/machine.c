/* The machine: nodes by MPI's shared-memory split, sockets and NUMA domains by hwloc. */
#include "core/machine.h"

#include <hwloc.h>
#include <string.h>
#include <unistd.h>

/* Logical index of the object of `type` that holds the whole of `cpus`; 0 when there is none. */
static int object_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus)
{
    hwloc_obj_t object = NULL;

    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != NULL)
        if (object->cpuset != NULL && hwloc_bitmap_isincluded(cpus, object->cpuset))
            return (int)object->logical_index;
    return 0;
}

static void ask_hwloc(struct wm_place *place)
{
    hwloc_topology_t topology;
    hwloc_cpuset_t cpus;

    if (hwloc_topology_init(&topology) < 0)
        return;
    cpus = hwloc_bitmap_alloc();
    if (cpus != NULL && hwloc_topology_load(topology) == 0 &&
        hwloc_get_cpubind(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0) {
        place->socket = object_of(topology, HWLOC_OBJ_PACKAGE, cpus);
        place->numa = object_of(topology, HWLOC_OBJ_NUMANODE, cpus);
    }
    hwloc_bitmap_free(cpus);
    hwloc_topology_destroy(topology);
}

int wm_machine_places(MPI_Comm comm, bool sockets, struct wm_place *places)
{
    struct wm_place own = {0};
    MPI_Comm node;
    int rc;

    PMPI_Comm_rank(comm, &own.world_rank);
    gethostname(own.host, sizeof own.host - 1);
    if (sockets)
        ask_hwloc(&own);
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, own.world_rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return -WM_EMPI;
    own.node = own.world_rank; /* the node is called by its first rank */
    rc = PMPI_Bcast(&own.node, 1, MPI_INT, 0, node);
    PMPI_Comm_free(&node);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Allgather(&own, sizeof own, MPI_BYTE, places, sizeof own, MPI_BYTE, comm);
    return rc == MPI_SUCCESS ? 0 : -WM_EMPI;
}
