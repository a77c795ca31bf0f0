/* A program that sends messages itself, in every way: 47 from 3 ranks, and a receive that is cancelled. */
#include <mpi.h>
#include <stdlib.h>

enum { TURNS = 10, STARTS = 3, LARGE = 1 << 18 };

static int rank, left, right;

static void blocking(void)
{
    int out = rank, in = -1;

    for (int i = 0; i < TURNS; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 1, &in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Ssend(&out, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Recv(&in, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nonblocking(int *large)
{
    MPI_Request requests[2];
    int in = -1;

    MPI_Irecv(large, LARGE, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(large + LARGE, LARGE, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    if (rank == 2)
        MPI_Send(&in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Irecv(&in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request requests[2];
    int out = rank, in = -1;

    MPI_Recv_init(&in, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < STARTS; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void probed(void)
{
    MPI_Message message;
    int in = -1;

    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 2, 8, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 2, 9, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        MPI_Probe(0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&in, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int *large = calloc(2 * LARGE, sizeof *large), ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    MPI_Barrier(MPI_COMM_WORLD);
    blocking();
    nonblocking(large);
    MPI_Barrier(MPI_COMM_WORLD);
    persistent();
    probed();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    free(large);
    return 0;
}
