/* Doors of topologies. Ranks are never put into another order. */
#include <stdlib.h>
#include <string.h>
#include "core/subrank/collective.h"
#include "core/subrank/topology.h"

#define ENTER()                                                                                                        \
    WM_RANK_ENTER(__func__);                                                                                           \
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm)
#define RETURN(error) return wm_rank_return(rank, c, __func__, error)

/* Its topology, if it is of that kind; MPI_SUCCESS or MPI_ERR_COMM or MPI_ERR_TOPOLOGY. */
static int find(const struct wm_rank_comm *c, int kind, const struct wm_rank_topology **t)
{
    *t = c != NULL ? c->topology : NULL;
    if (c == NULL)
        return MPI_ERR_COMM;
    return *t != NULL && (*t)->kind == kind ? MPI_SUCCESS : MPI_ERR_TOPOLOGY;
}

#define FIND(kind)                                                                                                     \
    ENTER();                                                                                                           \
    const struct wm_rank_topology *t;                                                                                  \
    int error = find(c, kind, &t);                                                                                     \
                                                                                                                       \
    if (error != MPI_SUCCESS)                                                                                          \
    RETURN(error)

static void put(int *to, const int *from, int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

WM_RANK_DOOR int MPI_Topo_test(MPI_Comm comm, int *status)
{
    ENTER();

    if (c != NULL)
        *status = c->topology != NULL ? c->topology->kind : MPI_UNDEFINED;
    RETURN(c != NULL ? MPI_SUCCESS : MPI_ERR_COMM);
}

/* ---- communicators with a topology ---- */

/* A communicator of the parent's first `size` ranks, in their order; *made NULL at the others. */
static int make_first(struct wm_rank_comm *c, int size, struct wm_rank_comm **made)
{
    struct wm_rank_group *g = wm_rank_group_new(size);
    int error;

    if (g == NULL)
        return MPI_ERR_NO_MEM;
    put(g->ranks, c->group->ranks, size);
    error = wm_rank_comm_make(c, g, NULL, made);
    wm_rank_group_leave(g);
    return error;
}

/* Give a communicator and its topology: NULL, if there is no memory for it. */
static int give(struct wm_rank_comm *made, struct wm_rank_topology *t, MPI_Comm *handle)
{
    if (made != NULL && t == NULL) {
        wm_rank_comm_free(made);
        return MPI_ERR_NO_MEM;
    }
    if (made != NULL)
        made->topology = t;
    return wm_rank_comm_give(made, handle);
}

static int nodes_of(int dimensions, const int sizes[], int most)
{
    int64_t nodes = 1;

    for (int d = 0; d < dimensions; d++) {
        if (sizes[d] <= 0)
            return -1;
        nodes *= sizes[d];
        if (nodes > most)
            return -1;
    }
    return (int)nodes;
}

static int create_cart(struct wm_rank_comm *c, int dimensions, const int sizes[], const int rings[], MPI_Comm *handle)
{
    struct wm_rank_comm *made;
    int nodes, error;

    *handle = MPI_COMM_NULL;
    if (c == NULL)
        return MPI_ERR_COMM;
    if (dimensions < 0 || (nodes = nodes_of(dimensions, sizes, c->size)) < 0)
        return MPI_ERR_DIMS;
    if ((error = make_first(c, nodes, &made)) != MPI_SUCCESS)
        return error;
    return give(made, made != NULL ? wm_rank_cart_new(dimensions, sizes, rings, made->self) : NULL, handle);
}

WM_RANK_DOOR int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                                 MPI_Comm *comm_cart)
{
    ENTER();
    (void)reorder;
    RETURN(create_cart(c, ndims, dims, periods, comm_cart));
}

WM_RANK_DOOR int MPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                                  MPI_Comm *comm_graph)
{
    ENTER();
    struct wm_rank_comm *made;
    int error;

    (void)reorder;
    *comm_graph = MPI_COMM_NULL;
    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    if (nnodes < 0 || nnodes > c->size)
        RETURN(MPI_ERR_ARG);
    if ((error = make_first(c, nnodes, &made)) != MPI_SUCCESS)
        RETURN(error);
    RETURN(give(made, made != NULL ? wm_rank_graph_new(nnodes, index, edges, made->self) : NULL, comm_graph));
}

/* The dimensions that remain; who shares the coordinates of the others comes together. */
static int create_sub(struct wm_rank_comm *c, const struct wm_rank_topology *t, const int remain[], MPI_Comm *handle)
{
    int sizes[t->dimensions + 1], rings[t->dimensions + 1], kept = 0, color = 0, error;
    struct wm_rank_comm *made = NULL;
    struct wm_rank_group *group, *remote;

    for (int d = 0; d < t->dimensions; d++) {
        if (remain[d]) {
            sizes[kept] = t->sizes[d];
            rings[kept++] = t->rings[d];
        } else {
            color = color * t->sizes[d] + t->coordinates[d];
        }
    }
    *handle = MPI_COMM_NULL;
    error = wm_rank_comm_parts(c, color, c->self, &group, &remote);
    if (error == MPI_SUCCESS)
        error = wm_rank_comm_make(c, group, NULL, &made);
    wm_rank_group_leave(group);
    return error == MPI_SUCCESS ? give(made, wm_rank_cart_new(kept, sizes, rings, made->self), handle) : error;
}

WM_RANK_DOOR int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *new_comm)
{
    FIND(MPI_CART);
    RETURN(create_sub(c, t, remain_dims, new_comm));
}

/* ---- distributed graphs ---- */

static int create_dist_graph(struct wm_rank_comm *c, const struct wm_neighbours *given, const int *source_weights,
                             const int *destination_weights, MPI_Comm *handle)
{
    struct wm_rank_comm *made = NULL;
    int error = wm_rank_comm_make(c, c->group, NULL, &made);

    *handle = MPI_COMM_NULL;
    return error == MPI_SUCCESS ? give(made, wm_rank_dist_graph_new(given, source_weights, destination_weights), handle)
                                : error;
}

/* Ranks as neighbours are kept: -1 for nobody. */
static int *neighbours_from(const int *ranks, int count)
{
    int *made = malloc(((size_t)count + 1) * sizeof *made);

    for (int i = 0; made != NULL && i < count; i++)
        made[i] = ranks[i] == MPI_PROC_NULL ? -1 : ranks[i];
    return made;
}

static bool are_ranks(const struct wm_rank_comm *c, const int *ranks, int count)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= c->size))
            return false;
    return true;
}

/* Without neighbours there need not be an array. */
static const int *weights_of(bool weighted, const int *given)
{
    if (!weighted)
        return NULL;
    return given != NULL ? given : MPI_WEIGHTS_EMPTY;
}

WM_RANK_DOOR int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                                const int sourceweights[], int outdegree, const int destinations[],
                                                const int destweights[], MPI_Info info, int reorder,
                                                MPI_Comm *comm_dist_graph)
{
    ENTER();
    bool weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
    int *from, *to, error = MPI_ERR_NO_MEM;

    (void)info, (void)reorder;
    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    if (indegree < 0 || outdegree < 0 || !are_ranks(c, sources, indegree) || !are_ranks(c, destinations, outdegree))
        RETURN(MPI_ERR_ARG);
    from = neighbours_from(sources, indegree);
    to = neighbours_from(destinations, outdegree);
    if (from != NULL && to != NULL)
        error =
            create_dist_graph(c, &(struct wm_neighbours){false, indegree, outdegree, from, to},
                              weights_of(weighted, sourceweights), weights_of(weighted, destweights), comm_dist_graph);
    free(from);
    free(to);
    RETURN(error);
}

struct edge {
    int from, to, weight;
};

/* Everybody's edges, of all ranks; *count of them. NULL: no memory, or *error. */
static struct edge *gather_edges(struct wm_rank_comm *c, const struct edge *mine, int my_count, int *count, int *error)
{
    int *bytes = calloc((size_t)c->size * 2, sizeof *bytes), *places = bytes + c->size;
    int my_bytes = my_count * (int)sizeof *mine;
    struct edge *all = NULL;

    *error = bytes != NULL ? wm_rank_exchange(c, &my_bytes, bytes, sizeof my_bytes) : MPI_ERR_NO_MEM;
    *count = 0;
    for (int i = 0; *error == MPI_SUCCESS && i < c->size; i++) {
        places[i] = *count * (int)sizeof *mine;
        *count += bytes[i] / (int)sizeof *mine;
    }
    if (*error == MPI_SUCCESS && (all = malloc(((size_t)*count + 1) * sizeof *all)) == NULL)
        *error = MPI_ERR_NO_MEM;
    if (*error == MPI_SUCCESS)
        *error = wm_rank_exchange_each(c, mine, all, bytes, places);
    free(bytes);
    return all;
}

/* This rank's neighbours among all edges, in the order in which ranks gave them. */
static int create_from_edges(struct wm_rank_comm *c, const struct edge *all, int count, bool weighted, MPI_Comm *handle)
{
    int *lists = malloc(((size_t)count * 4 + 1) * sizeof *lists), in = 0, out = 0, error;
    int *from = lists, *to = lists + count, *in_weights = to + count, *out_weights = in_weights + count;

    if (lists == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < count; i++) {
        if (all[i].to == c->self) {
            from[in] = all[i].from;
            in_weights[in++] = all[i].weight;
        }
        if (all[i].from == c->self) {
            to[out] = all[i].to;
            out_weights[out++] = all[i].weight;
        }
    }
    error = create_dist_graph(c, &(struct wm_neighbours){false, in, out, from, to}, weighted ? in_weights : NULL,
                              weighted ? out_weights : NULL, handle);
    free(lists);
    return error;
}

static struct edge *list_edges(int n, const int sources[], const int degrees[], const int destinations[],
                               const int *weights, int *count)
{
    struct edge *edges;
    int at = 0;

    *count = 0;
    for (int i = 0; i < n; i++)
        *count += degrees[i];
    edges = malloc(((size_t)*count + 1) * sizeof *edges);
    for (int i = 0; edges != NULL && i < n; i++)
        for (int k = 0; k < degrees[i]; k++, at++)
            edges[at] = (struct edge){sources[i], destinations[at], weights != NULL ? weights[at] : 1};
    return edges;
}

WM_RANK_DOOR int MPI_Dist_graph_create(MPI_Comm comm, int n, const int nodes[], const int degrees[],
                                       const int targets[], const int weights[], MPI_Info info, int reorder,
                                       MPI_Comm *newcomm)
{
    ENTER();
    bool weighted = weights != MPI_UNWEIGHTED;
    struct edge *mine, *all = NULL;
    int my_count, count, error = MPI_ERR_NO_MEM;

    (void)info, (void)reorder;
    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    mine = list_edges(n, nodes, degrees, targets, weighted ? weights : NULL, &my_count);
    if (mine != NULL)
        all = gather_edges(c, mine, my_count, &count, &error);
    if (error == MPI_SUCCESS)
        error = create_from_edges(c, all, count, weighted, newcomm);
    free(mine);
    free(all);
    RETURN(error);
}

WM_RANK_DOOR int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *inneighbors, int *outneighbors, int *weighted)
{
    FIND(MPI_DIST_GRAPH);
    *inneighbors = t->neighbours.source_count;
    *outneighbors = t->neighbours.destination_count;
    *weighted = t->weighted;
    return MPI_SUCCESS;
}

static void put_ranks(int *to, const int *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i] < 0 ? MPI_PROC_NULL : from[i];
}

WM_RANK_DOOR int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                                          int maxoutdegree, int destinations[], int destweights[])
{
    FIND(MPI_DIST_GRAPH);
    const struct wm_neighbours *n = &t->neighbours;
    int in = smaller(maxindegree, n->source_count), out = smaller(maxoutdegree, n->destination_count);

    put_ranks(sources, n->sources, in);
    put_ranks(destinations, n->destinations, out);
    if (t->weighted && sourceweights != MPI_UNWEIGHTED)
        put(sourceweights, t->source_weights, in);
    if (t->weighted && destweights != MPI_UNWEIGHTED)
        put(destweights, t->destination_weights, out);
    return MPI_SUCCESS;
}

/* ---- cartesian grids ---- */

WM_RANK_DOOR int MPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
    FIND(MPI_CART);
    *ndims = t->dimensions;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    FIND(MPI_CART);
    put(dims, t->sizes, smaller(maxdims, t->dimensions));
    put(periods, t->rings, smaller(maxdims, t->dimensions));
    put(coords, t->coordinates, smaller(maxdims, t->dimensions));
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *its_rank)
{
    FIND(MPI_CART);
    *its_rank = wm_rank_cart_rank(t, coords);
    RETURN(*its_rank != MPI_PROC_NULL ? MPI_SUCCESS : MPI_ERR_ARG);
}

WM_RANK_DOOR int MPI_Cart_coords(MPI_Comm comm, int its_rank, int maxdims, int coords[])
{
    FIND(MPI_CART);
    int all[t->dimensions + 1];

    if (its_rank < 0 || its_rank >= c->size)
        RETURN(MPI_ERR_RANK);
    wm_rank_cart_coordinates(t, its_rank, all);
    put(coords, all, smaller(maxdims, t->dimensions));
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    FIND(MPI_CART);

    if (direction < 0 || direction >= t->dimensions)
        RETURN(MPI_ERR_DIMS);
    *rank_source = wm_rank_cart_neighbour(t, direction, -disp);
    *rank_dest = wm_rank_cart_neighbour(t, direction, disp);
    return MPI_SUCCESS;
}

static int map(const struct wm_rank_comm *c, int nodes, int *newrank)
{
    if (c == NULL)
        return MPI_ERR_COMM;
    if (nodes < 0 || nodes > c->size)
        return MPI_ERR_DIMS;
    *newrank = c->self < nodes ? c->self : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    ENTER();
    (void)periods;
    RETURN(map(c, c != NULL ? nodes_of(ndims, dims, c->size) : 0, newrank));
}

/* ---- graphs ---- */

WM_RANK_DOOR int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)
{
    ENTER();
    (void)index, (void)edges;
    RETURN(map(c, nnodes, newrank));
}

WM_RANK_DOOR int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
    FIND(MPI_GRAPH);
    *nnodes = t->nodes;
    *nedges = t->index[t->nodes - 1];
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
    FIND(MPI_GRAPH);
    put(index, t->index, smaller(maxindex, t->nodes));
    put(edges, t->edges, smaller(maxedges, t->index[t->nodes - 1]));
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Graph_neighbors_count(MPI_Comm comm, int its_rank, int *nneighbors)
{
    FIND(MPI_GRAPH);

    if (its_rank < 0 || its_rank >= t->nodes)
        RETURN(MPI_ERR_RANK);
    wm_rank_graph_neighbours(t, its_rank, nneighbors);
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Graph_neighbors(MPI_Comm comm, int its_rank, int maxneighbors, int neighbors[])
{
    FIND(MPI_GRAPH);
    const int *around;
    int count;

    if (its_rank < 0 || its_rank >= t->nodes)
        RETURN(MPI_ERR_RANK);
    around = wm_rank_graph_neighbours(t, its_rank, &count);
    put(neighbors, around, smaller(maxneighbors, count));
    return MPI_SUCCESS;
}
