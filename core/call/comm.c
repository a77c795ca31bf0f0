/* Communicators: what can be said of one. */
#include "core/call/comm.h"

#include <stdio.h>

bool wm_comm_world_ranks(MPI_Comm comm, int ranks, int *world)
{
    MPI_Group group, all;
    bool found = true;

    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int r = 0; found && r < ranks; r++) {
        PMPI_Group_translate_ranks(group, 1, &r, all, &world[r]);
        found = world[r] != MPI_UNDEFINED;
    }
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    return found;
}

void wm_comm_facts(const struct wm_comm *c, struct wm_facts *facts)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    if (c->user != MPI_COMM_NULL)
        PMPI_Comm_get_name(c->user, name, &length);
#define X(field, ...) facts->field = c->field;
    WM_GRID_FACTS(X)
#undef X
    facts->crowded = wm_node_job_crowded();
    snprintf(facts->communicator, sizeof facts->communicator, "%s", name);
}
