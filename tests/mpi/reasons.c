/* Calls that stay native for one reason after another, and some that do not. tests/mpi/reasons.sh says what is told.
 *
 *   reasons [late]
 *
 * late: instead, a call of which the last rank combines nothing where it is planned by a tree, after calls of few
 * bytes.
 */
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

static int combined;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    combined++;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void be_late(void)
{
    static int ones[4000], sums[4000];
    MPI_Op op;

    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < 4; i++) {
        combined = 0;
        MPI_Allreduce(ones, sums, i < 3 ? 1 : 4000, MPI_INT, op, MPI_COMM_WORLD);
    }
    MPI_Op_free(&op);
    if (rank == ranks - 1)
        printf("the last rank combined %d times\n", combined);
}

static void have_reasons(void)
{
    int one = 1, sum = 0;

    split();
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum_up(1, MPI_COMM_WORLD);
    sum_up(1000, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        sum_up(4000, MPI_COMM_WORLD);
    if (rank == 0)
        printf("results right\n");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        be_late();
    else
        have_reasons();
    MPI_Finalize();
    return 0;
}
