/* Communicators of our own. */
#include "core/data/own_comm.h"

int wm_own_comm_make(MPI_Comm comm, MPI_Comm *own)
{
    MPI_Group group;
    int rc;

    PMPI_Comm_group(comm, &group);
    rc = PMPI_Comm_create(comm, group, own);
    PMPI_Group_free(&group);
    if (rc == MPI_SUCCESS)
        PMPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN);
    else
        *own = MPI_COMM_NULL;
    return rc;
}
