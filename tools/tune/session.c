/* The ranks of a job, which fly what rank 0 says. */
#include "tools/tune/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/gauge/places.h"
#include "tools/tune/carry.h"
#include "tracer/clock.h"

/* A batch takes at least so long; where ranks share cores, longer than what a core is given to one of them. */
static const double batch_ns = 200e3, shared_batch_ns = 4e6;

enum { TRAIN_CALLS_MAX = 1 << 14, WARMING_BATCHES = 4 };

static const uint64_t rotate_bytes = 32 << 20;

enum kind { END, OPEN, CLOSE, OPEN_MAP, FLY };

struct order {
    enum kind kind;
    struct wm_tune_flight flight;
    int count;
    char file[WM_TUNE_FILE_CHARS]; /* as rank 0 sees it */
};

/* How many nodes and clusters there are, and ranks on a node at most. */
static void count_places(struct wm_tune_session *s, const struct wm_place *places)
{
    int *on = calloc((size_t)s->ranks, sizeof *on); /* by node */

    if (on == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    s->local_ranks = 0;
    for (int r = 0; r < s->ranks; r++) { /* nodes and clusters are numbered from 0 */
        int count = ++on[places[r].node];

        s->local_ranks = count > s->local_ranks ? count : s->local_ranks;
        s->nodes = places[r].node < s->nodes ? s->nodes : places[r].node + 1;
        s->clusters = places[r].cluster < s->clusters ? s->clusters : places[r].cluster + 1;
    }
    free(on);
}

/* Of a machine that cannot be told all ranks count as one host's. */
static void find_machine(struct wm_tune_session *s)
{
    struct wm_place *places = wm_gauge_places(s->ranks, s->machine, sizeof s->machine);

    s->nodes = s->clusters = 1;
    s->local_ranks = s->ranks;
    if (places != NULL)
        count_places(s, places);
    free(places);
    s->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    PMPI_Bcast(&s->cores, 1, MPI_INT, 0, s->own);
}

void wm_tune_session_init(struct wm_tune_session *s)
{
    *s = (struct wm_tune_session){.map = MPI_COMM_NULL};
    PMPI_Comm_dup(MPI_COMM_WORLD, &s->own);
    PMPI_Comm_rank(s->own, &s->rank);
    PMPI_Comm_size(s->own, &s->ranks);
    find_machine(s);
    s->fence = (struct wm_gauge_fence){.own = s->own};
    MPI_Comm_dup(MPI_COMM_WORLD, &s->fence.comm);
    s->start = (struct wm_gauge_start){.comm = s->fence.comm, .own = s->own};
    s->fence.batch_ns = s->local_ranks > s->cores ? shared_batch_ns : batch_ns;
}

static void free_paths(struct wm_tune_session *s)
{
    wm_tune_conveyors_free(s, WM_TUNE_NATIVE, s->count - 1);
    for (int i = 1; i < s->count; i++)
        MPI_Comm_free(&s->paths[i]);
    s->count = 0;
}

static void free_map(struct wm_tune_session *s)
{
    wm_tune_conveyors_free(s, WM_TUNE_MAP, WM_TUNE_NATIVE);
    if (s->map != MPI_COMM_NULL)
        MPI_Comm_free(&s->map);
}

void wm_tune_session_release(struct wm_tune_session *s)
{
    free_paths(s);
    free_map(s);
    MPI_Comm_free(&s->fence.comm);
    PMPI_Comm_free(&s->own);
    wm_bench_release(&s->bench);
    wm_bench_pool_release(&s->pool);
}

static MPI_Comm map_communicator(const struct wm_tune_session *s, const char *file)
{
    MPI_Info info;
    MPI_Comm comm;

    PMPI_Info_create(&info);
    if (s->rank == 0)
        PMPI_Info_set(info, "waymark_map", file);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    PMPI_Info_free(&info);
    return comm;
}

static void open_paths(struct wm_tune_session *s, const struct order *order)
{
    free_paths(s);
    for (int i = 1; i < order->count; i++) {
        char name[32];

        snprintf(name, sizeof name, "tune-%d", i);
        s->paths[i] = map_communicator(s, order->file);
        MPI_Comm_set_name(s->paths[i], name);
    }
    s->count = order->count;
}

static struct wm_bench_contender contender_of(const struct wm_tune_session *s, int who)
{
    if (who == WM_TUNE_NATIVE)
        return (struct wm_bench_contender){.comm = s->own, .native = true};
    return (struct wm_bench_contender){.comm = who == WM_TUNE_MAP ? s->map : s->paths[who]};
}

/* Calls one behind the other, which begin together. Those before drive out of the caches what another contender has
 * left there. */
static double train_ns(struct wm_tune_session *s, const struct wm_bench_contender *c, int calls)
{
    int sweep = 2 * (int)s->bench.slots, most = WARMING_BATCHES * calls;
    uint64_t begin;
    double took;

    wm_bench_run(&s->bench, c, sweep < most ? sweep : most);
    PMPI_Barrier(s->own);
    begin = wm_clock_monotonic_ns();
    wm_bench_run(&s->bench, c, calls);
    took = (double)(wm_clock_monotonic_ns() - begin) / calls;
    PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_SUM, s->own);
    return took / s->ranks;
}

static int train_calls(struct wm_tune_session *s, const struct wm_bench_contender *c)
{
    int calls = 1;

    while (calls < TRAIN_CALLS_MAX && train_ns(s, c, calls) * calls < s->fence.batch_ns / 2)
        calls *= 2;
    return calls;
}

/* The bench of a flight; false: some rank has no memory. */
static bool prepare(struct wm_tune_session *s, const struct wm_tune_flight *f)
{
    uint64_t rotate = f->manner == WM_TUNE_TRAIN ? rotate_bytes : 0;
    bool good = s->bench.counts != NULL && s->bench.operation == f->operation && s->bench.bytes == f->bytes &&
                s->bench_rotate == rotate;

    if (!good) { /* so at all ranks */
        wm_bench_release(&s->bench);
        good = wm_bench_init(&s->bench, &s->pool, f->operation, f->bytes, s->own, rotate) == 0;
        s->bench_rotate = rotate;
        PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, s->own);
    }
    if (!good)
        wm_bench_release(&s->bench);
    return good;
}

static double batch_ns_of(struct wm_tune_session *s, const struct wm_bench_contender *c, const struct wm_tune_flight *f,
                          int calls)
{
    switch (f->manner) {
    case WM_TUNE_FENCED:
        return wm_gauge_fence_ns(&s->fence, &s->bench, c, calls);
    case WM_TUNE_TRAIN:
        return train_ns(s, c, calls);
    case WM_TUNE_STARTED:
        return wm_gauge_start_ns(&s->start, &s->bench, c, calls);
    }
    return -1;
}

/* From each root a share of the calls; the mean. */
static double fly_batch(struct wm_tune_session *s, const struct wm_tune_flight *f)
{
    struct wm_bench_contender contender = contender_of(s, f->who);
    double ns = 0;

    for (int i = 0; i < f->root_count; i++) {
        s->bench.root = f->roots[i];
        ns += batch_ns_of(s, &contender, f, (f->calls + f->root_count - 1) / f->root_count);
    }
    return ns / f->root_count;
}

/* How many calls make a batch, by the first root; of those from a common start each is one, and this one has warmed up.
 */
static double find_calls(struct wm_tune_session *s, const struct wm_tune_flight *f)
{
    struct wm_bench_contender contender = contender_of(s, f->who);

    s->bench.root = f->roots[0];
    if (f->manner == WM_TUNE_FENCED)
        return wm_gauge_fence_calls(&s->fence, &s->bench, &contender);
    if (f->manner == WM_TUNE_TRAIN)
        return train_calls(s, &contender);
    wm_gauge_start_ns(&s->start, &s->bench, &contender, 1);
    return 1;
}

static double fly_fence(struct wm_tune_session *s, const struct wm_tune_flight *f)
{
    if (f->manner == WM_TUNE_STARTED)
        return wm_gauge_start_compare(&s->start);
    return f->calls > 0 ? wm_gauge_fence_ns(&s->fence, NULL, NULL, f->calls)
                        : wm_gauge_fence_calls(&s->fence, NULL, NULL);
}

static double fly(struct wm_tune_session *s, const struct wm_tune_flight *f)
{
    s->batches++;
    if (f->who == WM_TUNE_FENCE)
        return fly_fence(s, f);
    if (f->operation == WM_CONVEYOR)
        return wm_tune_carry(s, f);
    if (!prepare(s, f))
        return -1;
    return f->calls > 0 ? fly_batch(s, f) : find_calls(s, f);
}

/* What all ranks do for an order. */
static double carry_out(struct wm_tune_session *s, const struct order *order)
{
    switch (order->kind) {
    case END:
        break;
    case OPEN:
        open_paths(s, order);
        break;
    case CLOSE:
        free_paths(s);
        break;
    case OPEN_MAP:
        free_map(s);
        s->map = map_communicator(s, order->file);
        break;
    case FLY:
        return fly(s, &order->flight);
    }
    return 0;
}

static double give(struct wm_tune_session *s, struct order order)
{
    PMPI_Bcast(&order, sizeof order, MPI_BYTE, 0, s->own);
    return carry_out(s, &order);
}

void wm_tune_follow(struct wm_tune_session *s)
{
    struct order order;

    do {
        PMPI_Bcast(&order, sizeof order, MPI_BYTE, 0, s->own);
        carry_out(s, &order);
    } while (order.kind != END);
}

void wm_tune_end(struct wm_tune_session *s)
{
    give(s, (struct order){.kind = END});
}

void wm_tune_open(struct wm_tune_session *s, const char *file, int count)
{
    struct order order = {.kind = OPEN, .count = count};

    snprintf(order.file, sizeof order.file, "%s", file);
    give(s, order);
}

void wm_tune_close(struct wm_tune_session *s)
{
    give(s, (struct order){.kind = CLOSE});
}

void wm_tune_open_map(struct wm_tune_session *s, const char *file)
{
    struct order order = {.kind = OPEN_MAP};

    snprintf(order.file, sizeof order.file, "%s", file);
    give(s, order);
}

double wm_tune_fly(struct wm_tune_session *s, const struct wm_tune_flight *flight)
{
    return give(s, (struct order){.kind = FLY, .flight = *flight});
}
