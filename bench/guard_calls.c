/* Calls for so many seconds: prints the median of the batches, ns a call.
 *
 *   guard_calls SECONDS [allreduce|allreduce-4k|sendrecv|send|recv|isend]
 *
 * allreduce (the default): of 8 bytes, all ranks; allreduce-4k: of 4 KiB. The others are messages of 8 bytes to
 * oneself: MPI_Sendrecv; MPI_Irecv, MPI_Send, MPI_Wait; MPI_Isend, MPI_Recv, MPI_Wait; MPI_Irecv, MPI_Isend,
 * MPI_Waitall. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 1000, BATCHES_MOST = 1 << 20 };

static double batches[BATCHES_MOST], in = 1, out, large_in[512], large_out[512];
static int rank;

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void allreduce(void)
{
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce_4k(void)
{
    MPI_Allreduce(large_in, large_out, 512, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void sendrecv(void)
{
    MPI_Sendrecv(&in, 1, MPI_DOUBLE, rank, 1, &out, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(void)
{
    MPI_Request request;

    MPI_Irecv(&out, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&in, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void recv(void)
{
    MPI_Request request;

    MPI_Isend(&in, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(&out, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void isend(void)
{
    MPI_Request requests[2];

    MPI_Irecv(&out, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&in, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static const struct kind {
    const char *name;
    void (*make)(void);
    int calls;
} kinds[] = {{"allreduce", allreduce, 1}, {"allreduce-4k", allreduce_4k, 1},
             {"sendrecv", sendrecv, 1},   {"send", send, 3},
             {"recv", recv, 3},           {"isend", isend, 3}};

static double batch(const struct kind *kind)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < CALLS; i++)
        kind->make();
    return (MPI_Wtime() - begin) / CALLS / kind->calls * 1e9;
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1, begin;
    const struct kind *kind = find_kind(argc > 2 ? argv[2] : "allreduce");
    int count = 0, going = 1;

    if (kind == NULL)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin = MPI_Wtime();
    while (going) {
        batches[count++] = batch(kind);
        going = count < BATCHES_MOST && MPI_Wtime() - begin < seconds;
        MPI_Bcast(&going, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    qsort(batches, (size_t)count, sizeof *batches, compare);
    if (rank == 0)
        printf("%.1f\n", batches[count / 2]);
    MPI_Finalize();
    return 0;
}
