/* Calls that stay native for one reason after another, and some that do not. tests/mpi/reasons.sh says what is told. */
#include <mpi.h>
#include <stdio.h>

static int rank, ranks;

static void sum_up(int count, MPI_Comm comm)
{
    static int values[4096], sums[4096];

    for (int i = 0; i < count; i++)
        values[i] = i;
    MPI_Allreduce(values, sums, count, MPI_INT, MPI_SUM, comm);
    if (sums[count - 1] % (count > 1 ? count - 1 : 1) != 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Two halves, and an intercommunicator between them. */
static void split(void)
{
    MPI_Comm half, inter;

    for (int turn = 0; turn < 2; turn++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        sum_up(10, half);
        sum_up(11, half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
        sum_up(2, inter);
        MPI_Barrier(inter);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
}

int main(int argc, char **argv)
{
    int one = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    split();
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum_up(1, MPI_COMM_WORLD);
    sum_up(1000, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        sum_up(4000, MPI_COMM_WORLD);
    if (rank == 0)
        printf("results right\n");
    MPI_Finalize();
    return 0;
}
