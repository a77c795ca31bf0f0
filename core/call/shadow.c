/* Shadows: made, duplicated and freed. */
#include "core/call/shadow.h"

#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/node/progress_library.h"
#include "core/process/machine.h"

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

static void make_engine(struct wm_comm *c)
{
    struct wm_engine_parts parts = {.nets[WM_NET_MPI] = wm_net_mpi_new(c->shadow),
                                    .nets[WM_NET_SHM] = c->node->size > 1 ? wm_net_shm_new(c->node) : NULL,
                                    .node = c->node,
                                    .ring = wm_process.ring,
                                    .communicator = c->id};

    c->engine = wm_engine_new(&parts);
}

int wm_shadow_make(struct wm_comm *c, const int *world, struct wm_error *error)
{
    int rc = make_shadow(c);

    if (rc == 0 && (rc = make_grid(c, world, NULL, error)) == 0)
        make_engine(c);
    return rc;
}

int wm_shadow_like(struct wm_comm *c, struct wm_comm *parent, const int *world, struct wm_error *error)
{
    return make_grid(c, world, parent, error);
}

/* All ranks have called for it, or will. */
bool wm_shadow_advance(struct wm_comm *c)
{
    struct wm_error error = {0};
    int flag = 0;

    if (c->pending == MPI_REQUEST_NULL && PMPI_Comm_idup(c->parent->shadow, &c->shadow, &c->pending) != MPI_SUCCESS) {
        wm_error_set(&error, -WM_EMPI, "the MPI library gives no communicator");
        wm_process_abort(&error);
    }
    PMPI_Test(&c->pending, &flag, MPI_STATUS_IGNORE);
    if (!flag)
        return false;
    PMPI_Comm_set_errhandler(c->shadow, MPI_ERRORS_RETURN);
    make_engine(c);
    atomic_store_explicit(&c->parent, NULL, memory_order_release);
    return true;
}

/* The parent is among those that the library's progress advances. */
void wm_shadow_await(struct wm_comm *c)
{
    while (wm_comm_is_pending(c))
        wm_progress_idle();
}

void wm_shadow_free(struct wm_comm *c)
{
    wm_engine_free(c->engine);
    wm_node_free(c->node);
    wm_grid_release(&c->grid);
    if (c->shadow != MPI_COMM_NULL)
        PMPI_Comm_free(&c->shadow);
}
