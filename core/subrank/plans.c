/* Grid, paths and engine of a communicator. Messages of siblings come first, then one subrank a process goes on. */
#include <jansson.h>
#include <stdlib.h>
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
        places[i].node = c->group->ranks[i] / wm_world.each;
    }
    if (spec == NULL || wm_grid_init(grid, spec, c->size, places, &error) < 0)
        wm_process_abort(&error);
    json_decref(spec);
    free(places);
}

/* ---- paths ---- */

enum { STAGES = 2 };

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

/* As the map server would answer. */
static json_t *answer_of(enum wm_operation operation)
{
    json_t *path = json_array();

    for (int i = 0; i < STAGES && stages[operation][i].wrapper != NULL; i++)
        json_array_append_new(path, json_pack("{s:s,s:i,s:[{s:s}],s:{}}", "wrapper", stages[operation][i].wrapper,
                                              "node", 0, "arguments", "axis", stages[operation][i].axis, "keywords"));
    return json_pack("{s:[i,n],s:o}", "bytes", 0, "path", path);
}

struct wm_path *wm_rank_path(struct wm_rank_plans *p, enum wm_operation operation)
{
    struct wm_error error = {0};
    json_t *answer;

    if (p->paths[operation] != NULL)
        return p->paths[operation];
    answer = answer_of(operation);
    if (wm_path_parse(&p->paths[operation], answer, operation, &p->kin.grid, "", &error) < 0)
        wm_process_abort(&error);
    json_decref(answer);
    return p->paths[operation];
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
                                 .neighbours = c->topology != NULL ? &c->topology->neighbours : NULL};
    p->engine = wm_engine_new(&(struct wm_engine_parts){.nets = {[WM_NET_MPI] = wm_rank_net_new(p->messages)}});
    return p;
}

void wm_rank_plans_free(struct wm_rank_plans *p)
{
    if (p == NULL)
        return;
    wm_engine_free(p->engine);
    wm_plans_release(&p->kin.plans);
    for (int i = 0; i < WM_COLLECTIVE_COUNT; i++)
        wm_path_free(p->paths[i]);
    wm_grid_release(&p->kin.grid);
    wm_p2p_comm_free(p->messages);
    pthread_mutex_destroy(&p->kin.plans.lock);
    pthread_mutex_destroy(&p->kin.lock);
    free(p);
}
