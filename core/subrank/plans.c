/* Records and engine of a communicator. */
#include <stdlib.h>
#include "core/call/cache.h"
#include "core/data/allocate.h"
#include "core/process/process.h"
#include "core/subrank/built_in.h"
#include "core/subrank/collective.h"
#include "core/subrank/record.h"
#include "core/subrank/siblings.h"

static const char what[] = "the collectives of a communicator";

struct wm_path *wm_rank_path(struct wm_rank_plans *p, const struct wm_described *d)
{
    enum wm_operation operation = d->facts.operation;
    uint64_t limit = wm_built_in_shared_bytes(operation);
    bool shared = d->plan_call.shared && limit > 0 && d->facts.bytes <= limit;
    struct wm_path **path = shared ? &p->shared[operation] : &p->staged[operation];

    if (*path == NULL)
        *path = wm_cache_keep(&p->own.comm, wm_built_in_path(operation, shared, &p->own.kin.ground->grid), true);
    return *path;
}

/* ---- records ---- */

static void begin_record(struct wm_rank_record *r, const struct wm_rank_comm *c, struct wm_ground *ground,
                         struct wm_map_source *map)
{
    wm_kin_init(&r->kin, ground, c->self);
    r->comm = (struct wm_comm){.user = MPI_COMM_SELF,
                               .title = c->name,
                               .map = map,
                               .rank = c->self,
                               .ranks = c->size,
                               .nodes = ground->nodes,
                               .clusters = ground->clusters,
                               .uniform = ground->uniform,
                               .consecutive = ground->consecutive,
                               .kin = &r->kin,
                               .end = c->plans->end,
                               .id = c->id,
                               .neighbours = c->topology != NULL ? &c->topology->neighbours : NULL};
}

/* Built-in paths are what subranks have in the place of the library's. */
static void end_record(struct wm_rank_record *r)
{
    uint64_t *calls = r->comm.map == wm_built_in_source() ? wm_process.native_calls : wm_process.planned_calls;

    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        calls[op] += r->comm.planned_calls[op];
    wm_cache_clear(&r->comm);
    wm_kin_release(&r->kin);
}

static struct wm_ground *ground_of(const struct wm_rank_comm *c, struct wm_map_source *map, const char *name,
                                   struct wm_error *error)
{
    const struct wm_ground_key key = {map, wm_comm_name_hash(name), c->size, c->group->ranks, NULL};

    return wm_ground_of(&key, error);
}

/* The error is the same at all ranks; the first says it. */
static void fail(const struct wm_rank_comm *c, const struct wm_error *error)
{
    if (c->self == 0 || wm_process.settings.on_error == WM_REMEDY_NATIVE)
        wm_process_fail(MPI_COMM_SELF, error, c->self == 0);
    while (wm_process.settings.on_error != WM_REMEDY_NATIVE)
        wm_rank_rest(c->rank);
}

static struct wm_rank_record *new_mapped(const struct wm_rank_comm *c)
{
    struct wm_error error = {0};
    struct wm_ground *ground = ground_of(c, &wm_process.map, c->name, &error);
    struct wm_rank_record *r;

    if (ground == NULL) {
        fail(c, &error);
        return NULL;
    }
    r = wm_allocate_zeroed(sizeof *r, what);
    begin_record(r, c, ground, &wm_process.map);
    return r;
}

/* ---- all of it ---- */

struct wm_rank_plans *wm_rank_plans_new(struct wm_rank_comm *c)
{
    struct wm_rank_plans *p = wm_allocate_zeroed(sizeof *p, what);
    const struct wm_recording *recording = wm_rank_recording(c->rank);
    struct wm_error error = {0};
    struct wm_ground *ground = ground_of(c, wm_built_in_source(), "", &error);

    if (ground == NULL)
        wm_process_abort(&error);
    c->plans = p;
    p->messages = wm_p2p_comm_new(c->rank->process, c->context + 1, c->self, c->size, c->group->ranks);
    if (p->messages == NULL)
        wm_out_of_memory(what);
    p->end = wm_allocate_zeroed(sizeof *p->end, what);
    p->end->node = wm_rank_node_new(c);
    p->end->engine = wm_engine_new(&(struct wm_engine_parts){.nets = {[WM_NET_MPI] = wm_rank_net_new(p->messages)},
                                                             .node = p->end->node,
                                                             .self = c->self,
                                                             .one_net = true,
                                                             .ring = recording != NULL ? recording->ring : NULL,
                                                             .communicator = c->id});
    begin_record(&p->own, c, ground, wm_built_in_source());
    if (wm_process.map.planned != 0)
        p->mapped = new_mapped(c);
    if (p->mapped != NULL)
        p->by_map = wm_process.map.planned;
    return p;
}

void wm_rank_plans_free(struct wm_rank_plans *p)
{
    if (p == NULL)
        return;
    wm_rank_calls_forget(p);
    wm_siblings_leave(p);
    end_record(&p->own);
    if (p->mapped != NULL)
        end_record(p->mapped);
    free(p->mapped);
    wm_engine_free(p->end->engine);
    wm_node_free(p->end->node);
    free(p->end);
    wm_p2p_comm_free(p->messages);
    free(p);
}
