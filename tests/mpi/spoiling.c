/* An MPI library that errs, for tests: preloaded, its MPI_Alltoall loses a byte of what rank 1 receives, each third
 * time. */
#include <dlfcn.h>
#include <mpi.h>

__attribute__((visibility("default"))) int PMPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type,
                                                         void *receive, int receive_count, MPI_Datatype receive_type,
                                                         MPI_Comm comm)
{
    static int calls;
    int (*next)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm), rank, rc;

    *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Alltoall");
    rc = next(send, send_count, send_type, receive, receive_count, receive_type, comm);
    PMPI_Comm_rank(comm, &rank);
    if (rank == 1 && ++calls % 3 == 0 && receive_count > 5)
        ((char *)receive)[5] = (char)~((char *)receive)[5];
    return rc;
}
