/* Grid, paths and engine of a communicator. Messages of siblings come first, then one subrank a process goes on. */
#include <jansson.h>
#include <stdlib.h>
#include "core/call/cache.h"
#include "core/data/allocate.h"
#include "core/subrank/collective.h"

static const char what[] = "the collectives of a communicator";

/* ---- the grid ---- */

static void make_grid(struct wm_grid *grid, const struct wm_rank_comm *c)
{
    json_t *spec = json_pack("[{s:s,s:i},{s:s,s:i}]", "axis", "process", "count", wm_world.processes, "axis", "sibling",
                             "count", wm_world.each);
    struct wm_place *places = wm_allocate_zeroed((size_t)c->size * sizeof *places, what);
    struct wm_error error = {0};

    for (int i = 0; i < c->size; i++) {
        places[i].world_rank = c->group->ranks[i];
        places[i].node = wm_world.places[c->group->ranks[i] / wm_world.each].node;
    }
    if (spec == NULL || wm_grid_init(grid, spec, c->size, places, &error) < 0)
        wm_process_abort(&error);
    json_decref(spec);
    free(places);
}

/* ---- paths ---- */

enum { STAGES = 2, SMALL_BYTES = 2048 };

static const struct stage {
    const char *wrapper, *axis;
} stages[WM_COLLECTIVE_COUNT][STAGES] = {
    [WM_BARRIER] = {{"reduce", "sibling"}, {"barrier", "process"}},
    [WM_BCAST] = {{"bcast", "process"}, {"bcast", "sibling"}},
    [WM_REDUCE] = {{"reduce", "sibling"}, {"reduce", "process"}},
    [WM_ALLREDUCE] = {{"reduce", "sibling"}, {"allreduce", "process"}},
    [WM_GATHER] = {{"gather", "sibling"}, {"gather", "process"}},
    [WM_GATHERV] = {{"gather", "sibling"}, {"gather", "process"}},
    [WM_SCATTER] = {{"scatter", "process"}, {"scatter", "sibling"}},
    [WM_SCATTERV] = {{"scatter", "process"}, {"scatter", "sibling"}},
    [WM_ALLGATHER] = {{"gather", "sibling"}, {"allgather", "process"}},
    [WM_ALLGATHERV] = {{"gather", "sibling"}, {"allgather", "process"}},
    [WM_ALLTOALL] = {{"alltoall", "all"}},
    [WM_ALLTOALLV] = {{"alltoall", "all"}},
    [WM_ALLTOALLW] = {{"alltoall", "all"}},
    [WM_REDUCE_SCATTER] = {{"reduce", "sibling"}, {"reduce-scatter", "process"}},
    [WM_REDUCE_SCATTER_BLOCK] = {{"reduce", "sibling"}, {"reduce-scatter", "process"}},
    [WM_SCAN] = {{"scan", "all"}},
    [WM_EXSCAN] = {{"scan", "all"}},
    [WM_NEIGHBOR_ALLGATHER] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLGATHERV] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLTOALL] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLTOALLV] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLTOALLW] = {{"neighbor", "all"}},
};

/* Where all ranks share memory, data of at most so many bytes goes through it in one step; 0: none does. More is copied
 * once less by messages. */
static const uint64_t shared_limits[WM_COLLECTIVE_COUNT] = {
    [WM_BARRIER] = UINT64_MAX,
    [WM_BCAST] = SMALL_BYTES,
    [WM_REDUCE] = SMALL_BYTES,
    [WM_ALLREDUCE] = SMALL_BYTES,
    [WM_GATHER] = SMALL_BYTES,
    [WM_SCATTER] = SMALL_BYTES,
    [WM_ALLGATHER] = SMALL_BYTES,
    [WM_ALLGATHERV] = SMALL_BYTES,
    [WM_ALLTOALL] = SMALL_BYTES,
    [WM_REDUCE_SCATTER] = SMALL_BYTES,
    [WM_REDUCE_SCATTER_BLOCK] = SMALL_BYTES,
    [WM_SCAN] = SMALL_BYTES,
    [WM_EXSCAN] = SMALL_BYTES,
};

/* As the map server would answer. */
static json_t *shared_answer(enum wm_operation operation)
{
    bool exclusive = operation == WM_EXSCAN;
    const char *wrapper = exclusive                              ? "scan"
                          : operation == WM_ALLGATHERV           ? "allgather"
                          : operation == WM_REDUCE_SCATTER_BLOCK ? "reduce-scatter"
                                                                 : wm_operation_name(operation);

    return json_pack("{s:[i,n],s:[{s:s,s:i,s:[{s:s}],s:{s:{s:s}}}]}", "bytes", 0, "path", "wrapper", wrapper, "node", 0,
                     "arguments", "axis", "all", "keywords", "shape", "symbol", "shared");
}

static json_t *staged_answer(enum wm_operation operation)
{
    json_t *path = json_array();

    for (int i = 0; i < STAGES && stages[operation][i].wrapper != NULL; i++)
        json_array_append_new(path, json_pack("{s:s,s:i,s:[{s:s}],s:{}}", "wrapper", stages[operation][i].wrapper,
                                              "node", 0, "arguments", "axis", stages[operation][i].axis, "keywords"));
    return json_pack("{s:[i,n],s:o}", "bytes", 0, "path", path);
}

static struct wm_path *new_path(struct wm_rank_plans *p, enum wm_operation operation, json_t *answer)
{
    struct wm_error error = {0};
    struct wm_path *path;

    if (wm_path_parse(&path, answer, operation, &p->kin.grid, "", &error) < 0)
        wm_process_abort(&error);
    json_decref(answer);
    return wm_cache_keep(&p->record, path, true);
}

struct wm_path *wm_rank_path(struct wm_rank_plans *p, const struct wm_described *d)
{
    enum wm_operation operation = d->facts.operation;
    bool shared = d->plan_call.shared && shared_limits[operation] > 0 && d->facts.bytes <= shared_limits[operation];
    struct wm_path **path = shared ? &p->shared[operation] : &p->staged[operation];

    if (*path == NULL)
        *path = new_path(p, operation, shared ? shared_answer(operation) : staged_answer(operation));
    return *path;
}

/* ---- all of it ---- */

struct wm_rank_plans *wm_rank_plans_new(const struct wm_rank_comm *c)
{
    struct wm_rank_plans *p = wm_allocate_zeroed(sizeof *p, what);

    p->messages = wm_p2p_comm_new(c->rank->process, c->context + 1, c->self, c->size, c->group->ranks);
    if (p->messages == NULL)
        wm_out_of_memory(what);
    make_grid(&p->kin.grid, c);
    p->kin.rank = c->self;
    p->kin.ranks = c->size;
    pthread_mutex_init(&p->kin.lock, NULL);
    pthread_mutex_init(&p->kin.plans.lock, NULL);
    p->record = (struct wm_comm){.user = MPI_COMM_SELF,
                                 .rank = c->self,
                                 .ranks = c->size,
                                 .kin = &p->kin,
                                 .end = wm_allocate_zeroed(sizeof *p->record.end, what),
                                 .neighbours = c->topology != NULL ? &c->topology->neighbours : NULL};
    p->record.end->node = wm_rank_node_new(c);
    p->record.end->engine = wm_engine_new(&(struct wm_engine_parts){
        .nets = {[WM_NET_MPI] = wm_rank_net_new(p->messages)}, .node = p->record.end->node, .one_net = true});
    return p;
}

void wm_rank_plans_free(struct wm_rank_plans *p)
{
    if (p == NULL)
        return;
    wm_cache_clear(&p->record);
    wm_engine_free(p->record.end->engine);
    wm_node_free(p->record.end->node);
    free(p->record.end);
    wm_plans_release(&p->kin.plans);
    wm_grid_release(&p->kin.grid);
    wm_p2p_comm_free(p->messages);
    pthread_mutex_destroy(&p->kin.plans.lock);
    pthread_mutex_destroy(&p->kin.lock);
    free(p);
}
