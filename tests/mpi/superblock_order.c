/* Which region runs when: a ring of ranks, each of which says what it begins. superblock_order KIND:
 *
 *   ring     an iteration receives from the left, sends to the right, computes
 *   pairs    two pairs of receiving and computing an iteration, with pack and unpack
 *   stack    the ring, and in each compute region a ring of its own
 *   sends    large messages are sent before any are received, and so are complete late
 *   waits    the ring, and rank 1 waits in a compute region for what rank 0 sends behind its own */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <waymark/superblock.h>

enum { LARGE = 1 << 16, ITERATIONS = 3 };

static int rank, size, wrong;

static void say(const char *what, int iteration)
{
    printf("%d%s%d ", rank, what, iteration);
}

static void receive_from_left(int *data, int count, int tag, MPI_Request *request)
{
    MPI_Irecv(data, count, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, request);
}

static void send_to_right(const int *data, int count, int tag, MPI_Request *request)
{
    MPI_Isend(data, count, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, request);
}

/* Requests that are complete: a wait gives nothing up. */
static void compute(MPI_Request requests[2], const char *what, int iteration)
{
    say(what, iteration);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say(".", iteration);
}

static void ring(int depth)
{
    int in = -1, out;
    MPI_Request requests[2];

    WM_SUPERBLOCK_BEGIN(depth > 0 ? "outer" : "ring");
    for (int i = 0; i < ITERATIONS; i++) {
        WM_REGION(receive);
        receive_from_left(&in, 1, depth, &requests[0]);
        WM_REGION(send);
        say(depth > 0 ? "S" : "s", i);
        out = rank + i;
        send_to_right(&out, 1, depth, &requests[1]);
        WM_REGION(compute);
        compute(requests, depth > 0 ? "C" : "c", i);
        wrong += in != (rank + size - 1) % size + i;
        if (depth > 0)
            ring(depth - 1);
    }
    WM_SUPERBLOCK_END;
}

static void send_first(void)
{
    int *in = calloc(LARGE, sizeof *in), *out = calloc(LARGE, sizeof *out);
    MPI_Request requests[2];

    WM_SUPERBLOCK_BEGIN("sends");
    for (int i = 0; i < ITERATIONS; i++) {
        WM_REGION(send);
        say("s", i);
        send_to_right(out, LARGE, 0, &requests[0]);
        WM_REGION(receive);
        receive_from_left(in, LARGE, 0, &requests[1]);
        WM_REGION(compute);
        compute(requests, "c", i);
    }
    WM_SUPERBLOCK_END;
    free(in);
    free(out);
}

static void pairs(void)
{
    int in[2] = {0}, out[2] = {rank, rank};
    MPI_Request requests[4];

    WM_SUPERBLOCK_BEGIN("pairs");
    for (int i = 0; i < ITERATIONS; i++)
        for (int half = 0; half < 2; half++) {
            WM_REGION(receive);
            receive_from_left(&in[half], 1, half, &requests[0]);
            WM_REGION(pack);
            say("p", half);
            WM_REGION(send);
            send_to_right(&out[half], 1, half, &requests[1]);
            WM_REGION(unpack);
            say("u", half);
            WM_REGION(compute);
            compute(requests, "c", half);
        }
    WM_SUPERBLOCK_END;
}

static void waits(void)
{
    int word = 0;
    MPI_Request requests[2];

    WM_SUPERBLOCK_BEGIN("waits");
    for (int i = 0; i < ITERATIONS; i++) {
        WM_REGION(receive);
        receive_from_left(&word, 1, 0, &requests[0]);
        WM_REGION(send);
        send_to_right(&rank, 1, 0, &requests[1]);
        WM_REGION(compute);
        compute(requests, "c", i);
        if (rank == 0)
            MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += word != i;
        }
        say("e", i);
    }
    WM_SUPERBLOCK_END;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "ring";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(kind, "pairs") == 0)
        pairs();
    else if (strcmp(kind, "waits") == 0)
        waits();
    else if (strcmp(kind, "sends") == 0)
        send_first();
    else
        ring(strcmp(kind, "stack") == 0);
    MPI_Finalize();
    return wrong;
}
