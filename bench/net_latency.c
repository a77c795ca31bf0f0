/* How long a message takes one way between two ranks of a node: through the shm net, and through the MPI library. More
 * ranks than two do the same in pairs. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/sample.h"
#include "core/data/geometry.h"
#include "core/net/net.h"
#include "core/node/node.h"

enum { RUNS = 301, LARGEST = 4 << 20 };

static int rank;
static char *buffer;
static struct wm_node *node;
static struct wm_net *net;
static const struct wm_transport *transport;

static void pass(bool send, int peer, size_t bytes)
{
    struct wm_message m = {buffer, bytes, bytes, MPI_BYTE, peer, 1, transport};
    struct wm_ticket ticket = {NULL, 0, 0};
    bool done;
    int count;

    if (send)
        net->class->send(net, &m, ticket, &done);
    else
        net->class->receive(net, &m, ticket, &done);
    for (count = done; count == 0;)
        net->class->progress(net, true, &ticket, 1, &count);
}

static void ping_shm(size_t bytes, int rounds)
{
    for (int i = 0; i < 2 * rounds; i++)
        pass(i % 2 == rank % 2, rank ^ 1, bytes);
}

/* The least that can be: a line that goes to and fro. */
static void ping_line(size_t bytes, int rounds)
{
    static uint64_t turn;
    _Atomic uint64_t *line = wm_node_part(node, 1000 + (unsigned)rank / 2, 128);

    (void)bytes;
    for (uint64_t end = turn + 2 * (uint64_t)rounds; turn < end; turn++)
        if (turn % 2 == (uint64_t)rank % 2)
            atomic_store_explicit(line, turn + 1, memory_order_release);
        else
            for (unsigned wait = 0; atomic_load_explicit(line, memory_order_acquire) != turn + 1; wait++)
                wm_node_wait(node->crowded, wait);
}

/* What the net does itself, without another processor's cache. */
static void ping_self(size_t bytes, int rounds)
{
    for (int i = 0; i < 2 * rounds; i++) {
        pass(true, rank, bytes);
        pass(false, rank, bytes);
    }
}

static void ping_mpi(size_t bytes, int rounds)
{
    for (int i = 0; i < 2 * rounds; i++)
        if (i % 2 == rank % 2)
            PMPI_Send(buffer, (int)bytes, MPI_BYTE, rank ^ 1, 1, MPI_COMM_WORLD);
        else
            PMPI_Recv(buffer, (int)bytes, MPI_BYTE, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double one_way_ns(void (*ping)(size_t, int), size_t bytes, int rounds)
{
    double start_ns;

    PMPI_Barrier(MPI_COMM_WORLD);
    ping(bytes, rounds / 10 + 1);
    start_ns = bench_now_ns();
    ping(bytes, rounds);
    return (bench_now_ns() - start_ns) / (2.0 * rounds);
}

static void print(const char *name, double *times_ns, double against_ns)
{
    double median_ns = bench_median(times_ns, RUNS);

    printf("  %s %9.0f (best %8.0f)", name, median_ns, times_ns[0]);
    if (against_ns > 0)
        printf(" ratio %4.2f", median_ns / against_ns);
}

/* In turns, so that what drifts hits all alike. */
static void measure(size_t bytes)
{
    static const struct wm_transport copies[] = {{WM_COPY_DOUBLE, 0, 0}, {WM_COPY_SINGLE, 0, 0}};
    double times_ns[3][RUNS];
    int rounds = bytes <= 1024 ? 200 : bytes <= 65536 ? 20 : 1;

    for (int run = 0; run < RUNS; run++) {
        times_ns[0][run] = one_way_ns(ping_mpi, bytes, rounds);
        for (int copy = 0; copy < 2; copy++) {
            transport = &copies[copy];
            times_ns[1 + copy][run] = one_way_ns(ping_shm, bytes, rounds);
        }
    }
    if (rank > 0)
        return;
    printf("%8zu B:", bytes);
    print("MPI", times_ns[0], 0);
    print("shm", times_ns[1], times_ns[0][RUNS / 2]);
    print("single copy", times_ns[2], times_ns[0][RUNS / 2]);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct wm_place *places;
    double self_ns[RUNS], line_ns[RUNS];
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks % 2 != 0) {
        fprintf(stderr, "net_latency: the number of ranks must be even\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    buffer = malloc(LARGEST);
    memset(buffer, 1, LARGEST);
    places = calloc((size_t)ranks, sizeof *places);
    for (int r = 0; r < ranks; r++)
        places[r] = (struct wm_place){.world_rank = r, .host = "here"};
    wm_node_start(places, 1);
    node = wm_node_new(places, ranks, rank);
    wm_node_share_area(node, MPI_COMM_WORLD);
    if (node->size < ranks || (net = wm_net_shm_new(node)) == NULL) {
        fprintf(stderr, "net_latency: the ranks share no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0)
        printf("ns one way, medians of %d:\n", RUNS);
    for (size_t bytes = 8; bytes <= (argc > 1 ? strtoul(argv[1], NULL, 10) : LARGEST); bytes *= 8)
        measure(bytes);
    transport = NULL;
    for (int run = 0; run < RUNS; run++)
        self_ns[run] = one_way_ns(ping_self, 8, 1000);
    for (int run = 0; run < RUNS; run++)
        line_ns[run] = one_way_ns(ping_line, 8, 200);
    if (rank == 0) {
        print("8 B to oneself", self_ns, 0);
        print("a cache line", line_ns, 0);
    }
    if (rank == 0)
        printf("\nsingle copies are taken from %zu bytes on\n", wm_node_single_copy_bytes());
    net->class->free(net);
    wm_node_free(node);
    wm_node_stop();
    free(buffer);
    free(places);
    MPI_Finalize();
    return 0;
}
