/* A two-dimensional Jacobi iteration with Toucan's pragmas, as its authors write it. Prints a hash of all ranks' cells.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 64, ROWS = 8, ITERATIONS = 200 };

/* A rank's rows, between one of each neighbour's. */
static double cells[2][ROWS + 2][COLUMNS];
static int rank, ranks;

static void sweep(double (*new)[COLUMNS], double (*old)[COLUMNS])
{
    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
}

static int iterate(void)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];
    int t;

#pragma toucan superblock name(jacobi)
    for (t = 0;; t++) {
        double(*old)[COLUMNS] = cells[t % 2], (*new)[COLUMNS] = cells[(t + 1) % 2];

#pragma toucan receive
        {
            MPI_Irecv(old[0], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(old[ROWS + 1], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[1]);
        }
#pragma toucan send
        {
            MPI_Isend(old[1], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[2]);
            MPI_Isend(old[ROWS], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[3]);
        }
#pragma toucan compute
        {
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            sweep(new, old);
            if (t == ITERATIONS)
                break;
        }
    }
    return t;
}

static uint64_t hash(void)
{
    uint64_t value = (uint64_t)rank, bits, sum;

    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            memcpy(&bits, &cells[0][i][j], sizeof bits);
            value = (value ^ bits) * UINT64_C(0x100000001b3);
        }
    MPI_Reduce(&value, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t sum;
    int iterations;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ROWS + 2; i++)
            cells[k][i][0] = rank * ROWS + i + 1;
    iterations = iterate();
    sum = hash();
    if (rank == 0)
        printf("%d ranks, %d iterations, %s:%d, %016llx\n", ranks, iterations, __FILE__, __LINE__,
               (unsigned long long)sum);
    MPI_Finalize();
    return 0;
}
