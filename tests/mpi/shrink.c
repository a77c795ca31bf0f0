/* A rank dies, and the others go on in a communicator without it. Status 77 where the MPI library is not fault-tolerant
 * (Open MPI before 5); with an argument, 0 where it is. */
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <signal.h>
#include <stdio.h>

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

static int count_ranks(MPI_Comm comm, int *count)
{
    const int one = 1;

    return MPI_Allreduce(&one, count, 1, MPI_INT, MPI_SUM, comm);
}

int main(int argc, char **argv)
{
    int rank, ranks, count;
    MPI_Comm others;

    if (argc > 1)
        return 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    count_ranks(MPI_COMM_WORLD, &count);
    if (rank == ranks - 1)
        raise(SIGKILL);
    while (count_ranks(MPI_COMM_WORLD, &count) == MPI_SUCCESS)
        ;
    MPIX_Comm_revoke(MPI_COMM_WORLD);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &others);
    if (count_ranks(others, &count) == MPI_SUCCESS)
        printf("of %d ranks %d go on\n", ranks, count);
    MPI_Finalize();
    return 0;
}

#else

int main(void)
{
    return 77;
}

#endif
