/* Which region runs when: a ring of ranks, each of which says what it begins. superblock_order KIND:
 *
 *   ring     an iteration receives from the left, sends to the right, computes
 *   pairs    two pairs of receiving and computing an iteration, with pack and unpack
 *   stack    the ring, and in each compute region a ring of its own
 *   sends    large messages are sent before any are received, and so are complete late; persistent requests
 *   sums     a sum that does not block is begun in the receive region, by the last rank first, and complete when the
 *            compute region begins
 *   late     rank 0 sends before it computes, rank 1 receives when it has computed
 *   copies   ranks send more than is copied to the next one, and change what is sent
 *   waits    the ring, and rank 1 waits in a compute region for what rank 0 sends behind its own
 *   away     ranks 1 and 2 exchange with rank 0, and rank 2 sends to rank 3, too; 0 to 2 say what they begin */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <waymark/superblock.h>

enum { LARGE = 1 << 16, ITERATIONS = 3, MESSAGES = 20 };

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

    MPI_Send_init(out, LARGE, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, LARGE, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    WM_SUPERBLOCK_BEGIN("sends");
    for (int i = 0; i < ITERATIONS; i++) {
        WM_REGION(send);
        say("s", i);
        MPI_Start(&requests[0]);
        WM_REGION(receive);
        WM_SUPERBLOCK_BEGIN("empty");
        WM_SUPERBLOCK_END;
        MPI_Start(&requests[1]);
        WM_REGION(compute);
        compute(requests, "c", i);
    }
    WM_SUPERBLOCK_END;
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
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

static void sums(void)
{
    int sum = 0, left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    WM_SUPERBLOCK_BEGIN("sums");
    for (int i = 0; i < ITERATIONS; i++) {
        WM_REGION(receive);
        MPI_Recv(NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD);
        say("s", i);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
        WM_REGION(compute);
        compute(requests, "c", i);
        wrong += sum != size * (size - 1) / 2;
    }
    WM_SUPERBLOCK_END;
}

static void late(void)
{
    int *data = calloc(LARGE, sizeof *data);
    MPI_Request request = MPI_REQUEST_NULL;

    WM_SUPERBLOCK_BEGIN("late");
    for (int i = 0; i < ITERATIONS; i++) {
        if (rank == 0) {
            WM_REGION(send);
            say("s", i);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Isend(data, LARGE, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        }
        WM_REGION(compute);
        say("c", i);
        if (rank == 1) {
            WM_REGION(receive);
            MPI_Recv(data, LARGE, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    WM_SUPERBLOCK_END;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(data);
}

/* Rank 1 of 4, and rank 3, send to another process: most of it is over at once, and the rest arrives, too; what nobody
 * receives is dropped. */
static void copies(void)
{
    int *in = calloc(MESSAGES * LARGE, sizeof *in), *out = calloc(MESSAGES * LARGE, sizeof *out), over = 0, flag;
    MPI_Request requests[2 * MESSAGES], lost;

    WM_SUPERBLOCK_BEGIN("copies");
    WM_REGION(receive);
    for (int k = 0; k < MESSAGES; k++)
        receive_from_left(in + k * LARGE, LARGE, k, &requests[k]);
    WM_REGION(send);
    if (rank % 2 == 1) {
        send_to_right(out, LARGE, MESSAGES, &lost);
        MPI_Wait(&lost, MPI_STATUS_IGNORE);
    }
    for (int k = 0; k < MESSAGES; k++) {
        out[k * LARGE] = out[k * LARGE + LARGE - 1] = rank + k;
        send_to_right(out + k * LARGE, LARGE, k, &requests[MESSAGES + k]);
        MPI_Test(&requests[MESSAGES + k], &flag, MPI_STATUS_IGNORE);
        if (flag)
            out[k * LARGE] = out[k * LARGE + LARGE - 1] = -1;
        over += flag;
    }
    WM_REGION(compute);
    MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < MESSAGES; k++)
        wrong += in[k * LARGE] != (rank + size - 1) % size + k || in[k * LARGE + LARGE - 1] != in[k * LARGE];
    WM_SUPERBLOCK_END;
    wrong += rank % 2 == 1 && over < MESSAGES / 2;
    free(in);
    free(out);
}

static void waits(void)
{
    int word = 0, last = 0;
    MPI_Request requests[2], request = MPI_REQUEST_NULL;

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
        if (rank == 1 && i == 0) /* what a compute region starts no region waits for */
            MPI_Irecv(&last, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
        if (rank == 1) {
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += word != i;
        }
        say("e", i);
    }
    WM_SUPERBLOCK_END;
    if (rank == 0)
        MPI_Send(&size, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += rank == 1 && last != size;
}

static void away(void)
{
    int peers = rank == 0 ? 2 : rank < 3 ? 1 : 0, in[2], step = 0;
    MPI_Request requests[5] = {[4] = MPI_REQUEST_NULL};

    WM_SUPERBLOCK_BEGIN("away");
    for (int i = 0; i < ITERATIONS; i++) {
        WM_REGION(receive);
        for (int k = 0; k < peers; k++)
            MPI_Irecv(&in[k], 1, MPI_INT, rank == 0 ? k + 1 : 0, 0, MPI_COMM_WORLD, &requests[k]);
        if (rank == 3)
            MPI_Recv(&step, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        WM_REGION(send);
        for (int k = 0; k < peers; k++)
            MPI_Isend(&i, 1, MPI_INT, rank == 0 ? k + 1 : 0, 0, MPI_COMM_WORLD, &requests[peers + k]);
        if (rank == 2)
            MPI_Isend(&i, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, &requests[4]);
        WM_REGION(compute);
        MPI_Wait(&requests[4], MPI_STATUS_IGNORE);
        if (rank < 3)
            say("c", i);
        MPI_Waitall(2 * peers, requests, MPI_STATUSES_IGNORE);
    }
    WM_SUPERBLOCK_END;
    wrong += rank == 3 && step != ITERATIONS - 1;
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
    else if (strcmp(kind, "away") == 0)
        away();
    else if (strcmp(kind, "sends") == 0)
        send_first();
    else if (strcmp(kind, "copies") == 0)
        copies();
    else if (strcmp(kind, "late") == 0)
        late();
    else if (strcmp(kind, "sums") == 0)
        sums();
    else
        ring(strcmp(kind, "stack") == 0);
    MPI_Finalize();
    return wrong;
}
