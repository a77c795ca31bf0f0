/* Messages go as the map says, seen by what happens: which sends are over though nobody receives, what a receive can
 * do while the sender is elsewhere, by which carrier lines have gone.
 *
 * ways named|all: under tests/mpi/ways.scm, ways-of-all.scm. Three ranks, of which the third is, it is pretended, on a
 * node of its own. Rank 0 sends. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/message/far.h"
#include "core/node/node.h"
#include "tests/core/message/protocols.h"
#include "waymark/message_comm.h"
#include "waymark/runtime.h"

WM_PROTOCOL(numbered, struct number_header, number_key, WM_KEY_DECIDES, WM_IN_ORDER, number);

enum { NEAR = 1, FAR = 2, LIMIT = 2000, LARGE = 200000, TURNS = 2000 };

static int rank, faults;
static struct wm_endpoints *group;
static unsigned char data[LARGE];

static void check(int line, bool right, const char *what, size_t bytes)
{
    if (!right && faults++ < 8)
        fprintf(stderr, "ways: rank %d, line %d, %zu bytes: not: %s\n", rank, line, bytes, what);
}

#define CHECK(right, bytes) check(__LINE__, right, #right, bytes)

/* Whoever waits in MPI serves messages, but a library without this progress has to be told. */
static void meet(void)
{
    MPI_Request barrier;
    int over = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    while (!over) {
        if (!wm_endpoints_drain(group))
            sched_yield();
        MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
    }
}

static void open_one(struct numbered *p, const char *name)
{
    CHECK(numbered_open(p, group, rank, name) == WM_MESSAGE_DONE, 0);
    meet();
}

static void close_one(struct numbered *p)
{
    meet();
    numbered_close(p);
    meet();
}

static struct numbered_envelope envelope_of(int to, size_t bytes)
{
    return (struct numbered_envelope){.header = {1}, .message = {.buffer = data, .bytes = bytes, .peer = to}};
}

static void receive(struct numbered *p, size_t bytes)
{
    struct numbered_envelope e = envelope_of(0, sizeof data);

    memset(data, 0, sizeof data);
    numbered_receive(p, &e);
    numbered_wait(p, &e);
    CHECK(e.message.error == WM_MESSAGE_DONE && e.message.bytes == bytes, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(i % 251)) {
            CHECK(!"the data is right", bytes);
            return;
        }
}

/* Is a send over before anybody receives? All have gone on for long when it is looked at. */
static void check_over(struct numbered *p, int to, size_t bytes, bool over)
{
    struct numbered_envelope e = envelope_of(to, bytes);

    for (size_t i = 0; i < bytes && rank == 0; i++)
        data[i] = (unsigned char)(i % 251);
    if (rank == 0)
        numbered_send(p, &e);
    for (int i = 0; i < 4; i++)
        meet();
    if (rank == 0)
        CHECK(e.message.complete == over, bytes);
    meet();
    if (rank == to)
        receive(p, bytes);
    if (rank == 0)
        numbered_wait(p, &e);
    meet();
}

/* Eager up to so many bytes, to a near peer and to another. */
static void check_limits(const char *name, size_t near, size_t far)
{
    struct numbered p;

    open_one(&p, name);
    check_over(&p, NEAR, near, true);
    check_over(&p, NEAR, near + 1, false);
    check_over(&p, FAR, far, true);
    check_over(&p, FAR, far + 1, false);
    close_one(&p);
}

static void check_sizes(const char *name, size_t near, size_t far)
{
    struct numbered p;

    open_one(&p, name);
    for (int to = NEAR; to <= FAR; to++) {
        check_over(&p, to, 10, true);
        check_over(&p, to, 11, false);
        check_over(&p, to, 64, false);
        check_over(&p, to, 65, true);
    }
    close_one(&p);
    check_limits(name, near, far);
}

static void check_rendezvous(void)
{
    struct numbered p;

    open_one(&p, "waiting");
    for (int to = NEAR; to <= FAR; to++) {
        check_over(&p, to, 0, false);
        check_over(&p, to, 100, false);
        check_over(&p, to, LARGE, false);
    }
    close_one(&p);
}

/* ---- carriers ---- */

/* Lines written to a near peer. */
static uint32_t by_mpi(void)
{
    const struct wm_wire *w = &group->far->wire;

    return w->peer_count > w->processes ? w->peers[w->processes + NEAR].next_out : 0;
}

/* Small messages behind large ones stay behind them. */
static void check_order(struct numbered *p)
{
    static struct numbered_envelope e[8];

    for (int i = 0; i < 8 && rank == 0; i++) {
        e[i] = envelope_of(NEAR, i % 2 == 0 ? LARGE - (size_t)i : 10 + (size_t)i);
        numbered_send(p, &e[i]);
    }
    for (int i = 0; i < 8 && rank == NEAR; i++)
        receive(p, i % 2 == 0 ? LARGE - (size_t)i : 10 + (size_t)i);
    for (int i = 0; i < 8 && rank == 0; i++)
        numbered_wait(p, &e[i]);
    meet();
}

static void check_carrier(const char *name, bool mpi)
{
    struct numbered p;
    uint32_t before;

    open_one(&p, name);
    before = rank == 0 ? by_mpi() : 0;
    check_over(&p, NEAR, 100, true);
    check_over(&p, NEAR, LARGE, false);
    check_order(&p);
    if (rank == 0)
        CHECK((by_mpi() > before + 10) == mpi && (by_mpi() == before) == !mpi, 0);
    close_one(&p);
}

/* Every tenth is large. */
static size_t gathered_bytes(int i)
{
    return i % 10 == 9 ? LARGE - (size_t)i : (size_t)i;
}

/* Small ones go in few parcels, and in order, also before and behind those that are not gathered. */
static void check_gathering(void)
{
    enum { MANY = 45 };
    static struct numbered_envelope e[2][MANY];
    struct numbered p;
    uint32_t before;

    open_one(&p, "gathered");
    for (int to = NEAR; to <= FAR; to++) {
        check_over(&p, to, LARGE, false);
        check_over(&p, to, 100, true); /* the answer is a promise */
    }
    before = by_mpi();
    for (int i = 0; i < 2 * MANY && rank == 0; i++) {
        e[i % 2][i / 2] = envelope_of(i % 2 == 0 ? NEAR : FAR, gathered_bytes(i / 2));
        numbered_send(&p, &e[i % 2][i / 2]);
    }
    if (rank == 0)
        CHECK(by_mpi() > before && by_mpi() <= before + 2 * MANY / 10 + 2, MANY);
    meet();
    for (int i = 0; i < MANY && rank != 0; i++)
        receive(&p, gathered_bytes(i));
    for (int i = 0; i < 2 * MANY && rank == 0; i++)
        numbered_wait(&p, &e[i % 2][i / 2]);
    close_one(&p);
}

/* ---- copies ---- */

/* In memory of both. */
struct stage {
    _Atomic int away, tried; /* the sender is outside of any library; the receive has been tried for long */
};

/* Without its sender a receive gets a large message only out of the sender's memory. */
static void check_copy(const char *name, bool single, struct stage *stage)
{
    struct numbered_envelope e = envelope_of(NEAR, LARGE);
    struct numbered p;

    open_one(&p, name);
    if (rank == 0) {
        numbered_send(&p, &e);
        stage->away = 1;
        while (!stage->tried)
            sched_yield();
    }
    while (rank == NEAR && !stage->away)
        sched_yield();
    if (rank == NEAR) {
        numbered_receive(&p, &e);
        for (int i = 0; i < TURNS && !numbered_check(&p, &e); i++)
            sched_yield();
        CHECK(e.message.complete == single, LARGE);
        stage->tried = 1;
    }
    if (rank != FAR)
        numbered_wait(&p, &e);
    close_one(&p);
}

static void check_copies(void)
{
    struct stage *stage;
    const char *why;
    MPI_Win window;
    MPI_Aint bytes;
    int unit;

    MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof *stage : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &stage, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &stage);
    if (rank == 0)
        memset(stage, 0, 2 * sizeof *stage);
    MPI_Barrier(MPI_COMM_WORLD);
    check_copy("single", wm_node_single_copy_allowed(&why), &stage[0]);
    check_copy("double", false, &stage[1]);
    MPI_Win_free(&window);
}

/* ---- both maps ---- */

static void check_named(void)
{
    check_limits("short", 100, 1 << 10);
    check_limits("of no rule", LIMIT, LIMIT);
    check_sizes("sized", 4 << 10, 4 << 10);
    check_rendezvous();
    check_carrier("by-mpi", true);
    check_carrier("of no rule", false);
    check_gathering();
    check_copies();
}

/* The runtime asks this which ranks share memory. */
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    int self;

    (void)type, (void)info;
    PMPI_Comm_rank(comm, &self);
    return PMPI_Comm_split(comm, self == FAR, key, made);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (wm_runtime_start() < 0)
        return 1;
    group = wm_endpoints_over(MPI_COMM_WORLD, &(struct wm_message_limits){.eager_bytes = LIMIT});
    if (strcmp(argv[1], "named") == 0)
        check_named();
    else
        check_sizes("any", 3 << 10, 5 << 10);
    wm_endpoints_free(group);
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wm_runtime_stop();
    MPI_Finalize();
    return all != 0;
}
