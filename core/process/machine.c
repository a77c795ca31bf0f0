/* The machine: nodes by MPI's shared-memory split, sockets and NUMA domains by hwloc. */
#include "core/process/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/data/allocate.h"
#include "core/node/processor.h"
#include "core/process/process.h"

/* Its logical index; 0 when there is none. */
static int object_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus)
{
    hwloc_obj_t object = wm_processor_object(topology, type, cpus);

    return object != NULL ? (int)object->logical_index : 0;
}

static void ask_place(hwloc_topology_t topology, hwloc_const_cpuset_t cpus, void *answer)
{
    struct wm_place *place = answer;

    place->socket = object_of(topology, HWLOC_OBJ_PACKAGE, cpus);
    place->numa = object_of(topology, HWLOC_OBJ_NUMANODE, cpus);
}

int wm_machine_places(MPI_Comm comm, bool sockets, struct wm_place *places)
{
    struct wm_place own = {0};
    MPI_Comm node;
    int rc;

    PMPI_Comm_rank(comm, &own.world_rank);
    gethostname(own.host, sizeof own.host - 1);
    if (sockets)
        wm_processor_ask(ask_place, &own);
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, own.world_rank, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return -WM_EMPI;
    own.node = own.world_rank; /* the node is called by its first rank */
    rc = PMPI_Bcast(&own.node, 1, MPI_INT, 0, node);
    PMPI_Comm_free(&node);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Allgather(&own, sizeof own, MPI_BYTE, places, sizeof own, MPI_BYTE, comm);
    return rc == MPI_SUCCESS ? 0 : -WM_EMPI;
}

int wm_machine_places_each(MPI_Comm comm, bool sockets, int each, struct wm_place *places)
{
    int processes, rc = wm_machine_places(comm, sockets, places);

    PMPI_Comm_size(comm, &processes);
    for (int r = processes * each - 1; rc == 0 && r >= 0; r--) {
        places[r] = places[r / each];
        places[r].world_rank = r;
        places[r].process = 1 + r / each;
    }
    return rc;
}

int *wm_machine_world_ranks(MPI_Comm comm, int ranks)
{
    int *world = wm_allocate(2 * sizeof *world * (size_t)ranks, "a communicator"), *own = world + ranks;
    MPI_Group group;
    bool found = true;

    for (int r = 0; r < ranks; r++)
        own[r] = world[r] = r;
    PMPI_Comm_group(comm, &group);
    if (group != wm_process.world_group) /* duplicates have that very one */
        PMPI_Group_translate_ranks(group, ranks, own, wm_process.world_group, world);
    PMPI_Group_free(&group);
    for (int r = 0; found && r < ranks; r++)
        found = world[r] != MPI_UNDEFINED;
    if (found)
        return world;
    free(world);
    return NULL;
}

int wm_machine_places_of(MPI_Comm comm, int ranks, struct wm_place *places, bool *known)
{
    int *world = wm_process.places != NULL ? wm_machine_world_ranks(comm, ranks) : NULL;

    *known = world != NULL;
    for (int r = 0; *known && r < ranks; r++)
        places[r] = wm_process.places[world[r]];
    free(world);
    return *known ? 0 : wm_machine_places(comm, false, places);
}
