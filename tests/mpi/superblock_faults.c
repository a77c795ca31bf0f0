/* Markers of superblocks that stand right, or, as the argument says, wrong. */
#include <mpi.h>
#include <string.h>
#include <waymark/superblock.h>

static int rank, size;

/* Each depth is a superblock within the one above, with a ring of messages. */
static int descend(int depth)
{
    int got = -1, wrong = 0;

    WM_SUPERBLOCK_BEGIN("depth");
    for (int i = 0; i < 3; i++) {
        MPI_Request requests[2];
        int mine = rank + i;

        WM_REGION(receive);
        MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, depth, MPI_COMM_WORLD, &requests[0]);
        WM_REGION(send);
        MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, depth, MPI_COMM_WORLD, &requests[1]);
        WM_REGION(compute);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        wrong += got != (rank + size - 1) % size + i;
        wm_poll();
        if (depth > 0)
            wrong += descend(depth - 1);
    }
    WM_SUPERBLOCK_END;
    return wrong;
}

int main(int argc, char **argv)
{
    const char *fault = argc > 1 ? argv[1] : "";
    int wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    wrong = descend(2);
    if (rank == 1 && strcmp(fault, "end") == 0)
        WM_SUPERBLOCK_END;
    if (rank == 1 && strcmp(fault, "region") == 0)
        WM_REGION(compute);
    if (rank == 1 && strcmp(fault, "finalize") == 0)
        WM_SUPERBLOCK_BEGIN("open");
    MPI_Finalize();
    return wrong;
}
