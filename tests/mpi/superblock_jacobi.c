/* A plate that is cut among the ranks by rows, Jacobi's iteration in regions: persistent requests, a sum that does not
 * block, rows of different work. Prints the bits of the result, which are those of any number of processes. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <waymark/superblock.h>

enum { ROWS = 5, COLUMNS = 64, ITERATIONS = 200 };

static int rank, size;
static double plate[ROWS + 2][COLUMNS], before[ROWS + 2][COLUMNS];
static MPI_Request halo[4];

static void make_halo(void)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

    MPI_Recv_init(before[0], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &halo[0]);
    MPI_Recv_init(before[ROWS + 1], COLUMNS, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &halo[1]);
    MPI_Send_init(before[1], COLUMNS, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &halo[2]);
    MPI_Send_init(before[ROWS], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &halo[3]);
}

static double relax(void)
{
    double change = 0;

    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j < COLUMNS - 1; j++) {
            plate[i][j] = 0.25 * (before[i - 1][j] + before[i + 1][j] + before[i][j - 1] + before[i][j + 1]);
            change += (plate[i][j] - before[i][j]) * (plate[i][j] - before[i][j]);
        }
    return change;
}

int main(int argc, char **argv)
{
    double change = 0, most = 0, all_changes = 0;
    uint64_t bits = 0, all_bits, word;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROWS + 2; i++)
        for (int j = 0; j < COLUMNS; j++)
            plate[i][j] = (double)(((rank * ROWS + i) * COLUMNS + j) * 7919 % 1000) / 1000;
    make_halo();
    WM_SUPERBLOCK_BEGIN("plate");
    for (int n = 0; n < ITERATIONS; n++) {
        MPI_Request largest;

        memcpy(before, plate, sizeof before);
        WM_REGION(receive);
        MPI_Startall(2, halo);
        MPI_Iallreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &largest);
        WM_REGION(send);
        MPI_Startall(2, halo + 2);
        WM_REGION(compute);
        MPI_Waitall(4, halo, MPI_STATUSES_IGNORE);
        MPI_Wait(&largest, MPI_STATUS_IGNORE);
        all_changes += most;
        change = relax();
    }
    WM_SUPERBLOCK_END;
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&halo[i]);
    for (int i = 1; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            memcpy(&word, &plate[i][j], sizeof word);
            bits = bits * 1000003 + (word ^ (uint64_t)(rank + 1));
        }
    memcpy(&word, &all_changes, sizeof word);
    bits += word;
    MPI_Reduce(&bits, &all_bits, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, bits %016llx\n", size, (unsigned long long)all_bits);
    MPI_Finalize();
    return 0;
}
