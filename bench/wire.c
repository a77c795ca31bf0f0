/* What a message between two ranks costs, beside the MPI library's MPI_Send and MPI_Recv in the same run: each figure
 * is the median of repetitions that take turns. wire [NODES [BYTES]]: 1, by rings; 2, by MPI, as between nodes, small
 * messages gathered up to so many bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/sample.h"
#include "core/data/geometry.h"
#include "core/message/span.h"
#include "core/node/node.h"
#include "core/p2p/p2p.h"
#include "waymark/message.h"

enum { LARGEST = 4 << 20, RUNS = 15, MOVED_BYTES = 4 << 20, ROUNDS_MAX = 1000, BURST = 64, BURSTS = 30 };

/* The least that a protocol can be. */
struct tag_header {
    int32_t tag;
};

static inline struct wm_key tag_key(const struct tag_header *h)
{
    return (struct wm_key){.word = {(uint32_t)h->tag}};
}

WM_PROTOCOL(tagged, struct tag_header, tag_key, WM_KEY_DECIDES, WM_IN_ORDER, tag);

static int rank;
static char *buffer;
static struct wm_p2p_comm *comm;
static struct tagged tagged;

/* ---- one message there, one back ---- */

static void send_thin(size_t bytes)
{
    wm_p2p_send(WM_P2P_STANDARD, buffer, (int)bytes, MPI_CHAR, !rank, 1, comm);
}

static void receive_thin(size_t bytes)
{
    wm_p2p_recv(buffer, (int)bytes, MPI_CHAR, !rank, 1, comm, MPI_STATUS_IGNORE);
}

static void send_tagged(size_t bytes)
{
    struct tagged_envelope e = {.header = {1}, .message = {.buffer = buffer, .bytes = bytes, .peer = !rank}};

    tagged_send(&tagged, &e);
    tagged_wait(&tagged, &e);
}

static void receive_tagged(size_t bytes)
{
    struct tagged_envelope e = {.header = {1}, .message = {.buffer = buffer, .bytes = bytes}};

    tagged_receive(&tagged, &e);
    tagged_wait(&tagged, &e);
}

static void send_by_mpi(size_t bytes)
{
    MPI_Send(buffer, (int)bytes, MPI_CHAR, !rank, 1, MPI_COMM_WORLD);
}

static void receive_by_mpi(size_t bytes)
{
    MPI_Recv(buffer, (int)bytes, MPI_CHAR, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- many at once ---- */

static void send_burst_thin(void)
{
    struct wm_p2p_request *requests[BURST];

    for (int i = 0; i < BURST; i++)
        wm_p2p_isend(WM_P2P_STANDARD, buffer, 8, MPI_CHAR, !rank, i, comm, &requests[i]);
    wm_p2p_waitall(BURST, requests, MPI_STATUSES_IGNORE);
}

static void receive_burst_thin(void)
{
    struct wm_p2p_request *requests[BURST];

    for (int i = 0; i < BURST; i++)
        wm_p2p_irecv(buffer + 8 * i, 8, MPI_CHAR, !rank, i, comm, &requests[i]);
    wm_p2p_waitall(BURST, requests, MPI_STATUSES_IGNORE);
}

static void send_burst_tagged(void)
{
    static struct tagged_envelope e[BURST];

    for (int i = 0; i < BURST; i++) {
        e[i] = (struct tagged_envelope){.header = {i}, .message = {.buffer = buffer, .bytes = 8, .peer = !rank}};
        tagged_send(&tagged, &e[i]);
    }
    for (int i = 0; i < BURST; i++)
        tagged_wait(&tagged, &e[i]);
}

static void receive_burst_tagged(void)
{
    static struct tagged_envelope e[BURST];

    for (int i = 0; i < BURST; i++) {
        e[i] = (struct tagged_envelope){.header = {i}, .message = {.buffer = buffer + 8 * i, .bytes = 8}};
        tagged_receive(&tagged, &e[i]);
    }
    for (int i = 0; i < BURST; i++)
        tagged_wait(&tagged, &e[i]);
}

static void send_burst_by_mpi(void)
{
    MPI_Request requests[BURST];

    for (int i = 0; i < BURST; i++)
        MPI_Isend(buffer, 8, MPI_CHAR, !rank, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE);
}

static void receive_burst_by_mpi(void)
{
    MPI_Request requests[BURST];

    for (int i = 0; i < BURST; i++)
        MPI_Irecv(buffer + 8 * i, 8, MPI_CHAR, !rank, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE);
}

/* ---- the contenders ---- */

struct contender {
    const char *name;
    void (*send)(size_t bytes), (*receive)(size_t bytes);
    void (*send_burst)(void), (*receive_burst)(void);
};

static const struct contender contenders[] = {
    {"MPI", send_by_mpi, receive_by_mpi, send_burst_by_mpi, receive_burst_by_mpi},
    {"MPI's protocol", send_thin, receive_thin, send_burst_thin, receive_burst_thin},
    {"by a tag", send_tagged, receive_tagged, send_burst_tagged, receive_burst_tagged},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

static double exchange_us(const struct contender *c, size_t bytes)
{
    int rounds = (int)(MOVED_BYTES / (bytes + 1)) + 2;
    double start;

    rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0)
            c->send(bytes);
        c->receive(bytes);
        if (rank == 1)
            c->send(bytes);
    }
    return (MPI_Wtime() - start) * 1e6 / rounds / 2;
}

/* ns for each of the messages; the receiver says when it has them. */
static double burst_ns(const struct contender *c, size_t bytes)
{
    double start;

    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < BURSTS; i++) {
        if (rank == 0) {
            c->send_burst();
            c->receive(0);
        } else {
            c->receive_burst();
            c->send(0);
        }
    }
    return (MPI_Wtime() - start) * 1e9 / BURSTS / BURST;
}

static void print_medians(const char *what, double (*measure)(const struct contender *c, size_t bytes), size_t bytes)
{
    double times[CONTENDERS][RUNS];

    for (int run = -1; run < RUNS; run++)
        for (int c = 0; c < CONTENDERS; c++) {
            double time = measure(&contenders[c], bytes);

            if (run >= 0)
                times[c][run] = time;
        }
    if (rank > 0)
        return;
    printf("%10s", what);
    for (int c = 0; c < CONTENDERS; c++) {
        printf("  %10.2f", bench_median(times[c], RUNS));
        if (c > 0)
            printf(" (%4.2f)", times[c][RUNS / 2] / times[0][RUNS / 2]);
    }
    printf("\n");
    fflush(stdout);
}

static void print_all(void)
{
    char what[32];

    if (rank == 0)
        printf("us from one rank to the other; (times that of MPI)\n%10s  %10s  %17s  %17s\n", "bytes",
               contenders[0].name, contenders[1].name, contenders[2].name);
    for (size_t bytes = 1; bytes <= LARGEST; bytes *= bytes < 64 << 10 ? 2 : 4) {
        snprintf(what, sizeof what, "%zu", bytes);
        print_medians(what, exchange_us, bytes);
    }
    if (rank == 0)
        printf("ns a message of 8 bytes, with %d in flight\n", BURST);
    print_medians("8", burst_ns, 0);
}

static struct wm_message_way way = {.most_bytes = SIZE_MAX, .eager_below = 4097};

static const struct wm_message_way *ways(void *map, const char *protocol, bool near)
{
    (void)map, (void)protocol, (void)near;
    return &way;
}

int main(int argc, char **argv)
{
    struct wm_place places[2] = {{.world_rank = 0, .host = "a"}, {.world_rank = 1, .host = "a"}};
    struct wm_endpoints *group;
    struct wm_p2p_process *process;
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        fprintf(stderr, "wire: it wants 2 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    places[1].node = argc > 1 && atoi(argv[1]) > 1;
    wm_node_start(places, 1);
    way.gather_bytes = argc > 2 ? (size_t)atol(argv[2]) : 0;
    group = wm_endpoints_span(MPI_COMM_WORLD, places, 1, &(struct wm_message_limits){.ways = ways});
    buffer = calloc(1, LARGEST);
    wm_geometry_start();
    wm_p2p_process_new(&process, group, rank, NULL);
    comm = wm_p2p_comm_new(process, 0, rank, 2, (const int[]){0, 1});
    tagged_open(&tagged, group, rank, "tagged");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("read from the sender's memory from %zu bytes on\n", wm_node_single_copy_bytes());
    print_all();
    wm_p2p_comm_free(comm);
    wm_p2p_process_free(process, false);
    wm_geometry_stop();
    tagged_close(&tagged);
    wm_endpoints_free(group);
    free(buffer);
    wm_node_stop();
    MPI_Finalize();
    return 0;
}
