/* Topologies: cartesian grids, graphs and distributed graphs, and who is whose neighbour. */
#include <stdlib.h>
#include <string.h>
#include "core/subrank/collective.h"
#include "core/subrank/topology.h"

/* ---- memory ---- */

static int *copy(const int *numbers, int count)
{
    int *made = malloc(((size_t)count + 1) * sizeof *made);

    if (made != NULL && count > 0)
        memcpy(made, numbers, (size_t)count * sizeof *made);
    return made;
}

void wm_rank_topology_free(struct wm_rank_topology *t)
{
    if (t == NULL)
        return;
    free(t->sizes);
    free(t->rings);
    free(t->coordinates);
    free(t->index);
    free(t->edges);
    free(t->source_weights);
    free(t->destination_weights);
    free((void *)t->neighbours.sources);
    free((void *)t->neighbours.destinations);
    free(t);
}

static struct wm_rank_topology *checked(struct wm_rank_topology *t)
{
    bool whole = t->sizes != NULL && t->rings != NULL && t->coordinates != NULL && t->index != NULL &&
                 t->edges != NULL && t->source_weights != NULL && t->destination_weights != NULL &&
                 t->neighbours.sources != NULL && t->neighbours.destinations != NULL;

    if (whole)
        return t;
    wm_rank_topology_free(t);
    return NULL;
}

static int edges_of(const struct wm_rank_topology *t)
{
    return t->nodes > 0 ? t->index[t->nodes - 1] : 0;
}

/* A copy of everything that `given` points to. */
static struct wm_rank_topology *topology_new(const struct wm_rank_topology *given)
{
    const struct wm_neighbours *n = &given->neighbours;
    struct wm_rank_topology *t = malloc(sizeof *t);

    if (t == NULL)
        return NULL;
    *t = *given;
    t->sizes = copy(given->sizes, given->dimensions);
    t->rings = copy(given->rings, given->dimensions);
    t->coordinates = copy(given->coordinates, given->dimensions);
    t->index = copy(given->index, given->nodes);
    t->edges = copy(given->edges, edges_of(given));
    t->source_weights = copy(given->source_weights, given->weighted ? n->source_count : 0);
    t->destination_weights = copy(given->destination_weights, given->weighted ? n->destination_count : 0);
    t->neighbours.sources = copy(n->sources, n->source_count);
    t->neighbours.destinations = copy(n->destinations, n->destination_count);
    return checked(t);
}

struct wm_rank_topology *wm_rank_topology_copy(const struct wm_rank_topology *from)
{
    return topology_new(from);
}

/* ---- cartesian grids ---- */

int wm_rank_cart_rank(const struct wm_rank_topology *t, const int coordinates[])
{
    int rank = 0;

    for (int d = 0; d < t->dimensions; d++) {
        int at = coordinates[d];

        if (t->rings[d])
            at = ((at % t->sizes[d]) + t->sizes[d]) % t->sizes[d];
        if (at < 0 || at >= t->sizes[d])
            return MPI_PROC_NULL;
        rank = rank * t->sizes[d] + at;
    }
    return rank;
}

void wm_rank_cart_coordinates(const struct wm_rank_topology *t, int rank, int coordinates[])
{
    for (int d = t->dimensions - 1; d >= 0; d--) {
        coordinates[d] = rank % t->sizes[d];
        rank /= t->sizes[d];
    }
}

int wm_rank_cart_neighbour(const struct wm_rank_topology *t, int dimension, int displacement)
{
    int *there = copy(t->coordinates, t->dimensions), rank = MPI_PROC_NULL;

    if (there != NULL) {
        there[dimension] += displacement;
        rank = wm_rank_cart_rank(t, there);
    }
    free(there);
    return rank;
}

/* The one before and the one behind in each dimension; -1 for nobody. */
struct wm_rank_topology *wm_rank_cart_new(int dimensions, const int sizes[], const int rings[], int self)
{
    int *around = malloc(((size_t)dimensions * 2 + 1) * sizeof *around);
    int *coordinates = malloc(((size_t)dimensions + 1) * sizeof *coordinates);
    struct wm_rank_topology given = {.kind = MPI_CART,
                                     .dimensions = dimensions,
                                     .sizes = (int *)sizes,
                                     .rings = (int *)rings,
                                     .coordinates = coordinates,
                                     .neighbours = {.cartesian = true,
                                                    .source_count = 2 * dimensions,
                                                    .destination_count = 2 * dimensions,
                                                    .sources = around,
                                                    .destinations = around}},
                            *t = NULL;

    if (around != NULL && coordinates != NULL) {
        wm_rank_cart_coordinates(&given, self, coordinates);
        for (int i = 0; i < 2 * dimensions; i++) {
            int peer = wm_rank_cart_neighbour(&given, i / 2, i % 2 == 0 ? -1 : 1);

            around[i] = peer == MPI_PROC_NULL ? -1 : peer;
        }
        t = topology_new(&given);
    }
    free(around);
    free(coordinates);
    return t;
}

/* ---- graphs ---- */

const int *wm_rank_graph_neighbours(const struct wm_rank_topology *t, int rank, int *count)
{
    int first = rank > 0 ? t->index[rank - 1] : 0;

    *count = t->index[rank] - first;
    return t->edges + first;
}

struct wm_rank_topology *wm_rank_graph_new(int nodes, const int index[], const int edges[], int self)
{
    struct wm_rank_topology given = {.kind = MPI_GRAPH, .nodes = nodes, .index = (int *)index, .edges = (int *)edges};
    int count;
    const int *around = wm_rank_graph_neighbours(&given, self, &count);

    given.neighbours = (struct wm_neighbours){
        .source_count = count, .destination_count = count, .sources = around, .destinations = around};
    return topology_new(&given);
}

struct wm_rank_topology *wm_rank_dist_graph_new(const struct wm_neighbours *neighbours, const int *source_weights,
                                                const int *destination_weights)
{
    return topology_new(&(struct wm_rank_topology){.kind = MPI_DIST_GRAPH,
                                                   .weighted = source_weights != NULL,
                                                   .source_weights = (int *)source_weights,
                                                   .destination_weights = (int *)destination_weights,
                                                   .neighbours = *neighbours});
}
