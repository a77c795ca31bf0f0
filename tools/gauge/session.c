/* Groups of ranks, and their rounds. */
#include "tools/gauge/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "waymark/convey_comm.h"

static const struct timespec nap = {.tv_nsec = 200000};

void wm_gauge_meet(MPI_Comm comm)
{
    MPI_Request request;
    int come = 0;

    PMPI_Ibarrier(comm, &request);
    for (PMPI_Test(&request, &come, MPI_STATUS_IGNORE); !come; PMPI_Test(&request, &come, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}

bool wm_gauge_group_init(struct wm_gauge_group *g, MPI_Comm world, bool member, const char *level, double batch_ns)
{
    bool good;

    *g = (struct wm_gauge_group){.level = level, .own = MPI_COMM_NULL};
    PMPI_Comm_split(world, member ? 0 : MPI_UNDEFINED, 0, &g->own);
    g->samples = calloc((size_t)WM_GAUGE_PROBES_MAX * WM_GAUGE_ROUNDS_MAX, sizeof *g->samples);
    g->carried = calloc((size_t)WM_GAUGE_CONVEYORS_MAX * WM_GAUGE_ROUNDS_MAX, sizeof *g->carried);
    good = g->samples != NULL && g->carried != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, world);
    if (!member || !good)
        return good;
    PMPI_Comm_size(g->own, &g->ranks);
    for (int f = 0; f < WM_GAUGE_FAMILY_COUNT; f++) {
        MPI_Comm_dup(g->own, &g->families[f]);
        MPI_Comm_set_name(g->families[f], wm_gauge_family_name((enum wm_gauge_family)f));
    }
    g->fence = (struct wm_gauge_fence){.comm = g->families[WM_GAUGE_FENCE], .own = g->own, .batch_ns = batch_ns};
    g->start = (struct wm_gauge_start){.comm = g->families[WM_GAUGE_FENCE], .own = g->own};
    return true;
}

void wm_gauge_group_release(struct wm_gauge_group *g)
{
    for (int i = 0; i < g->conveyors.count; i++)
        if (g->kept[i] != NULL)
            convey_free(g->kept[i]);
    for (int f = 0; g->own != MPI_COMM_NULL && f < WM_GAUGE_FAMILY_COUNT; f++)
        MPI_Comm_free(&g->families[f]);
    if (g->own != MPI_COMM_NULL)
        PMPI_Comm_free(&g->own);
    free(g->samples);
    free(g->carried);
}

/* Two ranks that wait for each other in each call need no fence behind it, whose own messages would meet the call's. */
static bool is_fence(const struct wm_gauge_group *g, const struct wm_gauge_probe *probe)
{
    return g->ranks == 2 && wm_operation_synchronises(probe->operation);
}

/* In place of fences, which ranks of several clusters leave so far apart that calls hide in that. */
static bool has_starts(const struct wm_gauge_group *g)
{
    return g->ranks > 2 && g->apart;
}

/* A batch of them; a call that takes long is one by itself. */
enum { STARTS = 2, LONG_NS = 20000000 };

/* The first call makes a plan. */
static double time_starts(const struct wm_gauge_group *g, const struct wm_bench *bench,
                          const struct wm_bench_contender *contender, int calls)
{
    double took = wm_gauge_start_ns(&g->start, bench, contender, calls > 0 ? calls : 1);

    return calls > 0 ? took : took > LONG_NS ? 1 : STARTS;
}

/* A batch of a probe, or, without calls, how many calls make one. Negative where memory is short. */
static double visit(struct wm_gauge_group *g, struct wm_bench_pool *pool, int probe, int calls)
{
    const struct wm_gauge_probe *p = &g->list.probes[probe];
    struct wm_bench_contender contender = {.comm = g->families[p->family]};
    struct wm_bench bench;
    bool good = wm_bench_init(&bench, pool, (int)p->operation, p->bytes, g->own, 0) == 0;
    struct wm_gauge_fence fence = g->fence;
    double answer = -1;

    if (is_fence(g, p))
        fence.comm = MPI_COMM_NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, g->own);
    if (good && has_starts(g))
        answer = time_starts(g, &bench, &contender, calls);
    else if (good)
        answer = calls > 0 ? wm_gauge_fence_ns(&fence, &bench, &contender, calls)
                           : wm_gauge_fence_calls(&fence, &bench, &contender);
    wm_bench_release(&bench);
    return answer;
}

/* One of the conveyors carries what `loaded` says. It is kept, since to ask the map takes longer than a run. */
static bool carry(struct wm_gauge_group *g, int i, const struct wm_gauge_conveyor *loaded, int runs, uint64_t seed,
                  struct wm_gauge_carried *carried)
{
    char name[WM_GAUGE_CONVEYOR_CHARS];

    if (g->kept[i] == NULL)
        g->kept[i] = wm_convey_new(g->families[WM_GAUGE_FENCE], wm_gauge_conveyor_name(loaded, name));
    return g->kept[i] != NULL && wm_gauge_carry(g->kept[i], g->own, loaded, runs, seed, carried);
}

/* A run takes no longer, but for its end; where lines are slow it has fewer items for that. */
static const double run_ns_most = 30e6;

enum { TRIAL_PART = 16, ITEMS_LEAST = 2 };

static bool limit_items(struct wm_gauge_group *g, int i)
{
    struct wm_gauge_conveyor *c = &g->conveyors.of[i], part = *c;
    struct wm_gauge_carried carried;

    part.items /= TRIAL_PART;
    if (part.items == 0)
        return true;
    if (!carry(g, i, &part, 1, 0, &carried))
        return false;
    if (carried.run * TRIAL_PART > run_ns_most)
        c->items = ITEMS_LEAST + (int64_t)((double)c->items * run_ns_most / (carried.run * TRIAL_PART));
    return true;
}

bool wm_gauge_group_prepare(struct wm_gauge_group *g, struct wm_bench_pool *pool)
{
    if (has_starts(g))
        wm_gauge_start_compare(&g->start);
    else
        g->fence_calls = wm_gauge_fence_calls(&g->fence, NULL, NULL);
    for (int i = 0; i < g->list.count; i++) {
        double calls = visit(g, pool, i, 0);

        if (calls < 0)
            return false;
        g->calls[i] = (int)calls;
    }
    for (int i = 0; i < g->conveyors.count; i++)
        if (!limit_items(g, i))
            return false;
    return true;
}

/* A permutation that all ranks draw alike. */
static void shuffle(int *order, int count, uint64_t seed)
{
    for (int i = 0; i < count; i++) {
        int j = (int)(wm_gauge_draw(&seed) % (uint64_t)(i + 1));

        order[i] = order[j];
        order[j] = i;
    }
}

/* All of them, in an order of their own. Where lines are slow, runs are so long that one of a round will do. */
static bool carry_all(struct wm_gauge_group *g, uint64_t seed)
{
    int order[WM_GAUGE_CONVEYORS_MAX], runs = g->apart ? 1 : WM_GAUGE_RUNS;

    shuffle(order, g->conveyors.count, seed);
    for (int i = 0; i < g->conveyors.count; i++)
        if (!carry(g, order[i], &g->conveyors.of[order[i]], runs, seed,
                   &g->carried[order[i] * WM_GAUGE_ROUNDS_MAX + g->rounds]))
            return false;
    return true;
}

/* In the first rounds, and then in every so many. */
static bool carries(const struct wm_gauge_group *g)
{
    return g->rounds < WM_GAUGE_CARRY_FIRST || g->rounds % WM_GAUGE_CARRY_EVERY == 0;
}

enum { FENCE_EVERY = 8 };

bool wm_gauge_group_fly(struct wm_gauge_group *g, struct wm_bench_pool *pool, uint64_t seed)
{
    int order[WM_GAUGE_PROBES_MAX];
    double fence = 0;

    if (g->rounds == WM_GAUGE_ROUNDS_MAX)
        return true;
    shuffle(order, g->list.count, seed);
    if (has_starts(g))
        wm_gauge_start_compare(&g->start);
    for (int i = 0; i < g->list.count; i++) {
        double took;

        if (i % FENCE_EVERY == 0 && !has_starts(g))
            fence = wm_gauge_fence_ns(&g->fence, NULL, NULL, g->fence_calls);
        took = visit(g, pool, order[i], g->calls[order[i]]);
        if (took < 0)
            return false;
        took -= is_fence(g, &g->list.probes[order[i]]) ? 0 : fence;
        g->samples[order[i] * WM_GAUGE_ROUNDS_MAX + g->rounds] = took > 0 ? took : 0;
    }
    if (carries(g) && !carry_all(g, seed))
        return false;
    g->rounds++;
    return true;
}

static json_t *pack_probe(const struct wm_gauge_group *g, int i, const bool *is_usual)
{
    const struct wm_gauge_probe *p = &g->list.probes[i];
    json_t *samples = json_array();

    for (int round = 0; round < g->rounds; round++)
        if (is_usual[round])
            json_array_append_new(samples, json_real(g->samples[i * WM_GAUGE_ROUNDS_MAX + round]));
    return json_pack("{ss, si, sI, so}", "family", wm_gauge_family_name(p->family), "operation", (int)p->operation,
                     "bytes", (json_int_t)p->bytes, "ns", samples);
}

static void pack_field(json_t *json, const struct wm_gauge_group *g, const char *key, size_t place, int i,
                       const bool *is_usual)
{
    const struct wm_gauge_carried *carried = &g->carried[i * WM_GAUGE_ROUNDS_MAX];
    json_t *samples = json_array();

    for (int round = 0; round < g->rounds; round++)
        if (carried[round].run > 0 && is_usual[round])
            json_array_append_new(samples, json_real(*(const double *)((const char *)&carried[round] + place)));
    json_object_set_new(json, key, samples);
}

static json_t *pack_conveyor(const struct wm_gauge_group *g, int i, const bool *is_usual)
{
    json_t *json = wm_gauge_conveyor_write(&g->conveyors.of[i]);

#define X(field) pack_field(json, g, #field, offsetof(struct wm_gauge_carried, field), i, is_usual);
    WM_GAUGE_CARRIED(X)
#undef X
    return json;
}

json_t *wm_gauge_group_pack(const struct wm_gauge_group *g)
{
    json_t *probes = json_array(), *conveyors = json_array();
    bool is_usual[WM_GAUGE_ROUNDS_MAX];
    int kept = 0;

    wm_gauge_find_usual(is_usual, g->samples, g->list.count, g->rounds);
    for (int round = 0; round < g->rounds; round++)
        kept += is_usual[round];
    for (int i = 0; i < g->list.count; i++)
        json_array_append_new(probes, pack_probe(g, i, is_usual));
    for (int i = 0; i < g->conveyors.count; i++)
        json_array_append_new(conveyors, pack_conveyor(g, i, is_usual));
    return json_pack("{ss, ss, si, sI, si, si, so, so}", "level", g->level, "machine", g->machine, "ranks", g->ranks,
                     "eager", (json_int_t)g->eager_bytes, "rounds", g->rounds, "kept", kept, "probes", probes,
                     "conveyors", conveyors);
}
