/* Communicators: records made, found and freed. */
#include "core/call/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/node/progress_library.h"
#include "core/call/cache.h"
#include "core/process/machine.h"
#include "core/data/neighbours.h"
#include "core/call/progress.h"
#include "core/call/request.h"
#include "waymark/runtime.h"

static int keyval = MPI_KEYVAL_INVALID;

/* Goes up when a record goes, so that no thread's cache finds it again. */
static _Atomic unsigned generation;

/* The communicator is gone without wm_comm_going having been told (MPI_Comm_disconnect by a path of its own): nothing
 * collective may happen here, so the shadow stays until the end. */
static int forget(MPI_Comm comm, int key, void *record, void *extra)
{
    struct wm_comm *c = record;

    (void)comm, (void)key, (void)extra;
    atomic_fetch_add(&generation, 1);
    c->user = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int wm_comm_start(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) == MPI_SUCCESS ? 0 : -WM_EMPI;
}

static void free_record(struct wm_comm *c)
{
    wm_requests_forget(c);
    wm_progress_forget(c);
    pthread_mutex_lock(&wm_process.comms_lock);
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        wm_process.planned_calls[op] += c->planned_calls[op];
        wm_process.native_calls[op] += c->native_calls[op];
    }
    pthread_mutex_unlock(&wm_process.comms_lock);
    wm_cache_clear(c);
    wm_plan_free(c->head_plan);
    wm_engine_free(c->engine);
    wm_node_free(c->node);
    wm_grid_release(&c->grid);
    wm_neighbours_free(c->neighbours);
    if (c->shadow != MPI_COMM_NULL)
        PMPI_Comm_free(&c->shadow);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* What is aloft lands; what is persistent, too, where `all`. Shadows that are made from this one's come: they stand in
 * the queue. */
static void finish_record(struct wm_comm *c, bool all)
{
    wm_comm_lock(c);
    wm_requests_finish(c, all);
    wm_comm_unlock(c);
}

void wm_comm_stop(void)
{
    while (wm_process.comms != NULL) {
        struct wm_comm *c = wm_process.comms, *last = NULL;

        for (; c->next != NULL; c = c->next) /* oldest first: the same order on all ranks */
            last = c;
        finish_record(c, true);
        if (c->user != MPI_COMM_NULL && !c->unattached)
            PMPI_Comm_delete_attr(c->user, keyval);
        if (last != NULL)
            last->next = NULL;
        else
            wm_process.comms = NULL;
        free_record(c);
    }
    PMPI_Comm_free_keyval(&keyval);
}

static int copy_cartesian(MPI_Comm plain, MPI_Comm user, MPI_Comm *copy)
{
    int count, rc;

    PMPI_Cartdim_get(user, &count);

    int dims[count + 1], periods[count + 1], coordinates[count + 1];

    PMPI_Cart_get(user, count, dims, periods, coordinates);
    rc = PMPI_Cart_create(plain, count, dims, periods, 0, copy);
    return rc;
}

static int copy_graph(MPI_Comm plain, MPI_Comm user, MPI_Comm *copy)
{
    int nodes, edges, *lists, rc;

    PMPI_Graphdims_get(user, &nodes, &edges);
    lists = wm_allocate(sizeof *lists * (size_t)(nodes + edges + 1), "a communicator's topology");
    PMPI_Graph_get(user, nodes, edges, lists, lists + nodes);
    rc = PMPI_Graph_create(plain, nodes, lists, lists + nodes, 0, copy);
    free(lists);
    return rc;
}

static int copy_dist_graph(MPI_Comm plain, MPI_Comm user, MPI_Comm *copy)
{
    int in, out, weighted, *lists, *out_weights, rc;

    PMPI_Dist_graph_neighbors_count(user, &in, &out, &weighted);
    lists = wm_allocate_zeroed(2 * sizeof *lists * (size_t)(in + out + 1), "a communicator's topology");
    out_weights = lists + 2 * in + out;
    PMPI_Dist_graph_neighbors(user, in, lists, lists + in + out, out, lists + in, out_weights);
    rc = PMPI_Dist_graph_create_adjacent(plain, in, lists, lists + in + out, out, lists + in, out_weights,
                                         MPI_INFO_NULL, 0, copy);
    free(lists);
    return rc;
}

/* Nonblocking neighbor collectives that the map leaves to the library run on the shadow (core/call/request.h): it needs
 * the topology. */
static int give_topology(struct wm_comm *c)
{
    MPI_Comm plain = c->shadow;
    int kind, rc;

    PMPI_Topo_test(c->user, &kind);
    if ((c->map->planned & WM_NEIGHBOR_BITS) == 0 || kind == MPI_UNDEFINED)
        return MPI_SUCCESS;
    rc = kind == MPI_CART    ? copy_cartesian(plain, c->user, &c->shadow)
         : kind == MPI_GRAPH ? copy_graph(plain, c->user, &c->shadow)
                             : copy_dist_graph(plain, c->user, &c->shadow);
    PMPI_Comm_free(&plain);
    return rc;
}

/* The shadow: a communicator of ours for the same ranks. Not a dup, which would run the user's copy callbacks. */
static int make_shadow(struct wm_comm *c)
{
    MPI_Group group;
    int rc;

    PMPI_Comm_group(c->user, &group);
    rc = PMPI_Comm_create(c->user, group, &c->shadow);
    PMPI_Group_free(&group);
    if (rc != MPI_SUCCESS || give_topology(c) != MPI_SUCCESS)
        return -WM_EMPI;
    PMPI_Comm_set_errhandler(c->shadow, MPI_ERRORS_RETURN);
    return 0;
}

bool wm_comm_world_ranks(MPI_Comm comm, int ranks, int *world)
{
    MPI_Group group, all;
    bool found = true;

    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int r = 0; found && r < ranks; r++) {
        PMPI_Group_translate_ranks(group, 1, &r, all, &world[r]);
        found = world[r] != MPI_UNDEFINED;
    }
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    return found;
}

/* The grid, and the ranks of this node. `parent`: whose duplicate this is, or NULL. Collective without one. */
static int make_grid(struct wm_comm *c, const int *world, struct wm_comm *parent, struct wm_error *error)
{
    struct wm_place *places = wm_allocate_zeroed(sizeof *places * (size_t)c->ranks, "a communicator");
    bool sockets = wm_map_source_names_sockets(c->map);
    int rc = 0;

    if (sockets && !wm_process.sockets)
        world = NULL; /* the process's places do not tell */
    for (int r = 0; world != NULL && r < c->ranks; r++)
        places[r] = wm_process.places[world[r]];
    if (world == NULL)
        rc = wm_machine_places(c->shadow, sockets, places);
    if (rc == 0 && (rc = wm_grid_init(&c->grid, c->map->grid_spec, c->ranks, places, error)) < 0)
        wm_map_source_quote(c->map, error);
    if (rc == 0) {
        c->nodes = wm_grid_count_nodes(places, c->ranks);
        c->uniform = wm_grid_uniform(&c->grid);
        c->consecutive = wm_grid_consecutive(&c->grid);
    }
    if (rc == 0 && parent != NULL)
        c->node = wm_node_like(parent->node, c->ranks, ++parent->duplicates);
    else if (parent == NULL)
        c->node = wm_node_new(c->shadow, world != NULL ? places : NULL, c->ranks);
    free(places);
    return rc;
}

/* `world`: the world ranks of its ranks. */
static void define_communicator(struct wm_comm *c, const int *world)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    json_t *ranks = json_array();
    int length;

    if (!c->unattached)
        PMPI_Comm_get_name(c->user, name, &length);
    for (int r = 0; r < c->ranks; r++)
        json_array_append_new(ranks, json_integer(world[r]));
    wm_process_define(
        json_pack("{ss, sI, ss, so}", "define", "communicator", "id", (json_int_t)c->id, "name", name, "ranks", ranks));
}

static void make_engine(struct wm_comm *c)
{
    struct wm_engine_parts parts = {.nets[WM_NET_MPI] = wm_net_mpi_new(c->shadow),
                                    .nets[WM_NET_SHM] = c->node->size > 1 ? wm_net_shm_new(c->node) : NULL,
                                    .node = c->node,
                                    .ring = wm_process.ring,
                                    .communicator = c->id};

    c->engine = wm_engine_new(&parts);
}

static void stay_native(struct wm_comm *c, enum wm_native_reason reason)
{
    c->native_only = true;
    c->native_reason = reason;
}

static int fill_record(struct wm_comm *c, struct wm_error *error)
{
    int *world = wm_allocate(sizeof *world * (size_t)c->ranks, "a communicator"), rc = 0;

    if (!wm_comm_world_ranks(c->user, c->ranks, world))
        stay_native(c, WM_NATIVE_WORLDS);
    if (!c->native_only && (rc = make_shadow(c)) == 0 && (rc = make_grid(c, world, NULL, error)) == 0)
        make_engine(c);
    if (rc == 0 && !wm_comm_is_apart(c))
        define_communicator(c, world);
    free(world);
    return rc;
}

/* A record, among all of the process. Communicators have their ids in the order in which they are made. */
static struct wm_comm *new_record(MPI_Comm user, struct wm_map_source *map)
{
    struct wm_comm *c = wm_allocate_zeroed(sizeof *c, "a communicator");

    c->user = user;
    c->map = map;
    c->shadow = MPI_COMM_NULL;
    c->coming = MPI_REQUEST_NULL;
    c->native_only = map->planned == 0;
    c->native_reason = WM_NATIVE_NO_MAP;
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_lock(&wm_process.comms_lock);
    c->id = wm_process.next_communicator++;
    c->next = wm_process.comms;
    wm_process.comms = c;
    pthread_mutex_unlock(&wm_process.comms_lock);
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        c->silent[op] = !wm_process_watches() && (map->planned & WM_OPERATION_BIT(op)) == 0;
    return c;
}

/* The record that MPI_Comm_idup left for this handle, or NULL; it belongs to the communicator from now on. */
static struct wm_comm *attach(MPI_Comm comm)
{
    struct wm_comm *c;

    pthread_mutex_lock(&wm_process.comms_lock);
    for (c = wm_process.comms; c != NULL && !(c->unattached && c->user == comm); c = c->next)
        ;
    pthread_mutex_unlock(&wm_process.comms_lock);
    if (c == NULL)
        return NULL;
    c->unattached = false;
    PMPI_Comm_set_attr(comm, keyval, c);
    return c;
}

/* The record that hangs on it already, or NULL. */
static struct wm_comm *known_record(MPI_Comm comm)
{
    struct wm_comm *c;
    int flag;

    if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, keyval, &c, &flag) != MPI_SUCCESS)
        return NULL;
    return flag ? c : attach(comm);
}

static bool is_awake(void)
{
    return atomic_load_explicit(&wm_process.awake, memory_order_acquire);
}

/* The record of a communicator that has none, under a map. */
static struct wm_comm *make_record(MPI_Comm comm, struct wm_map_source *map)
{
    struct wm_comm *c;
    struct wm_error error = {0};
    int inter = 0;

    PMPI_Comm_test_inter(comm, &inter);
    c = new_record(comm, map);
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->ranks);
    if (inter)
        stay_native(c, WM_NATIVE_INTERCOMM);
    else if (fill_record(c, &error) < 0) {
        wm_process_fail(comm, &error, c->rank == 0);
        stay_native(c, WM_NATIVE_COMM_FAILED);
    }
    PMPI_Comm_set_attr(comm, keyval, c);
    return c;
}

void wm_comm_made(MPI_Comm comm)
{
    if (is_awake() && comm != MPI_COMM_NULL && known_record(comm) == NULL)
        make_record(comm, &wm_process.map);
}

/* A record was there already when the MPI library's own function called another door. */
void wm_comm_duplicated(MPI_Comm parent, MPI_Comm comm, MPI_Info info)
{
    struct wm_comm *p = is_awake() ? known_record(parent) : NULL, *c;
    struct wm_map_source *map;
    struct wm_error error = {0};
    int rc;

    if (p == NULL || wm_comm_is_apart(p) || known_record(comm) != NULL) {
        wm_comm_made(comm);
        return;
    }
    rc = wm_map_source_of_info(&map, comm, info, p->map, &error);
    c = make_record(comm, map);
    if (rc == 0 && map != p->map && !c->native_only)
        rc = wm_comm_check_map(c, &error);
    if (rc < 0) {
        error.code = rc;
        wm_process_miss(comm, &error, c->rank == 0);
        stay_native(c, WM_NATIVE_COMM_FAILED);
    }
}

/* All that the parent knows holds for its duplicate. Ranks whose sockets are not known would have to be asked: then it
 * stays native. */
static void fill_like(struct wm_comm *c, struct wm_comm *parent)
{
    int *world = wm_allocate(sizeof *world * (size_t)c->ranks, "a communicator");
    bool known = wm_process.sockets || !wm_map_source_names_sockets(c->map);
    struct wm_error error = {0};

    wm_comm_world_ranks(parent->user, c->ranks, world);
    if (!c->native_only && (!known || make_grid(c, world, parent, &error) < 0))
        stay_native(c, WM_NATIVE_COMM_FAILED);
    define_communicator(c, world);
    free(world);
}

void wm_comm_coming(MPI_Comm parent, MPI_Comm made)
{
    struct wm_comm *p = is_awake() ? known_record(parent) : NULL, *c;

    if (p == NULL || made == MPI_COMM_NULL)
        return;
    c = new_record(made, p->map);
    c->unattached = true;
    c->rank = p->rank;
    c->ranks = p->ranks;
    memcpy(c->silent, p->silent, sizeof c->silent);
    c->native_only = p->native_only;
    c->native_reason = p->native_reason;
    if (!wm_comm_is_apart(c))
        fill_like(c, p);
    if (c->native_only)
        return;
    if (!wm_progress_start()) { /* nobody would go on with it; the same on all ranks */
        stay_native(c, WM_NATIVE_COMM_FAILED);
        return;
    }
    atomic_store_explicit(&c->parent, p, memory_order_relaxed);
    wm_comm_lock(p);
    wm_requests_bear(p, c);
    wm_comm_unlock(p);
}

/* It is begun when the parent's queue comes to it; all ranks have called for it, or will. */
bool wm_comm_come(struct wm_comm *c)
{
    struct wm_error error = {0};
    int flag = 0;

    if (c->coming == MPI_REQUEST_NULL && PMPI_Comm_idup(c->parent->shadow, &c->shadow, &c->coming) != MPI_SUCCESS) {
        wm_error_set(&error, -WM_EMPI, "the MPI library gives no communicator");
        wm_process_abort(&error);
    }
    PMPI_Test(&c->coming, &flag, MPI_STATUS_IGNORE);
    if (!flag)
        return false;
    PMPI_Comm_set_errhandler(c->shadow, MPI_ERRORS_RETURN);
    make_engine(c);
    atomic_store_explicit(&c->parent, NULL, memory_order_release);
    return true;
}

/* The parent is among those that core/call/progress.c looks after. */
void wm_comm_await(struct wm_comm *c)
{
    while (wm_comm_is_coming(c))
        wm_progress_idle();
}

static void unlist(struct wm_comm *c)
{
    struct wm_comm **link;

    pthread_mutex_lock(&wm_process.comms_lock);
    for (link = &wm_process.comms; *link != c; link = &(*link)->next)
        ;
    *link = c->next;
    pthread_mutex_unlock(&wm_process.comms_lock);
}

/* All ranks have posted what is aloft, so it lands. Persistent requests may be started later still: with them the
 * record stays, and its shadow is freed in the end, where all ranks free it. */
void wm_comm_going(MPI_Comm comm)
{
    struct wm_comm *c = is_awake() && comm != MPI_COMM_NULL ? known_record(comm) : NULL;

    if (c == NULL)
        return;
    finish_record(c, false);
    PMPI_Comm_delete_attr(comm, keyval);
    if (c->persistent > 0)
        return;
    unlist(c);
    free_record(c);
}

static struct wm_comm *find_record(MPI_Comm comm, bool may_block)
{
    struct wm_comm *c = known_record(comm);

    if (c == NULL && comm != MPI_COMM_NULL && may_block) {
        wm_comm_made(comm); /* its making was not seen; this collective call comes on all its ranks */
        c = known_record(comm);
    }
    return c;
}

enum { RECENT = 8 };

struct recent {
    MPI_Comm comm;
    struct wm_comm *record;
    unsigned generation;
};

static _Thread_local struct recent recent[RECENT] __attribute__((tls_model("initial-exec")));

struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation, bool may_block)
{
    struct recent *place = &recent[((uintptr_t)comm >> 8) % RECENT];
    unsigned now;

    if (!is_awake())
        return NULL;
    now = atomic_load_explicit(&generation, memory_order_acquire);
    if (place->comm != comm || place->generation != now || place->record == NULL)
        *place = (struct recent){comm, find_record(comm, may_block), now};
    return place->record == NULL || atomic_load_explicit(&place->record->silent[operation], memory_order_relaxed)
               ? NULL
               : place->record;
}

void wm_comm_facts(const struct wm_comm *c, struct wm_facts *facts)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    if (c->user != MPI_COMM_NULL)
        PMPI_Comm_get_name(c->user, name, &length);
    facts->ranks = c->ranks;
    facts->nodes = c->nodes;
    facts->uniform = c->uniform;
    facts->consecutive = c->consecutive;
    facts->crowded = wm_node_job_crowded();
    snprintf(facts->communicator, sizeof facts->communicator, "%s", name);
}
