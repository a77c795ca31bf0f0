/* Neighbours of a rank: cartesian, graph and distributed-graph topologies. */
#include "core/data/neighbours.h"

#include <stdlib.h>
#include "core/data/allocate.h"

/* One block of memory for all three; both lists have `room` entries. */
static struct wm_neighbours *neighbours_new(int sources, int destinations)
{
    struct wm_neighbours *n =
        wm_allocate(sizeof *n + sizeof(int) * (size_t)(sources + destinations), "the neighbours of a rank");
    int *lists = (int *)(n + 1);

    *n = (struct wm_neighbours){false, sources, destinations, lists, lists + sources};
    return n;
}

static struct wm_neighbours *read_cartesian(MPI_Comm comm)
{
    int dimensions;
    struct wm_neighbours *n;

    PMPI_Cartdim_get(comm, &dimensions);
    n = neighbours_new(2 * dimensions, 2 * dimensions);
    for (int d = 0; d < dimensions; d++) {
        int before, behind;
        int *sources = (int *)n->sources, *destinations = (int *)n->destinations;

        PMPI_Cart_shift(comm, d, 1, &before, &behind);
        sources[2 * d] = destinations[2 * d] = before == MPI_PROC_NULL ? -1 : before;
        sources[2 * d + 1] = destinations[2 * d + 1] = behind == MPI_PROC_NULL ? -1 : behind;
    }
    n->cartesian = true;
    return n;
}

static struct wm_neighbours *read_graph(MPI_Comm comm)
{
    int rank, count;
    struct wm_neighbours *n;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count);
    n = neighbours_new(count, count);
    PMPI_Graph_neighbors(comm, rank, count, (int *)n->sources);
    PMPI_Graph_neighbors(comm, rank, count, (int *)n->destinations);
    return n;
}

/* The library may write weights even where there are none, so it is given room for them. */
static struct wm_neighbours *read_dist_graph(MPI_Comm comm)
{
    int sources, destinations, weighted, *weights;
    struct wm_neighbours *n;

    PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    n = neighbours_new(sources, destinations);
    weights = wm_allocate(sizeof *weights * (size_t)(sources + destinations + 1), "the weights of a topology");
    PMPI_Dist_graph_neighbors(comm, sources, (int *)n->sources, weighted ? weights : MPI_UNWEIGHTED, destinations,
                              (int *)n->destinations, weighted ? weights + sources : MPI_UNWEIGHTED);
    free(weights);
    for (int i = 0; i < sources + destinations; i++)
        if (n->sources[i] == MPI_PROC_NULL) /* the destinations stand behind the sources */
            ((int *)n->sources)[i] = -1;
    return n;
}

struct wm_neighbours *wm_neighbours_read(MPI_Comm comm)
{
    int kind;

    PMPI_Topo_test(comm, &kind);
    switch (kind) {
    case MPI_CART:
        return read_cartesian(comm);
    case MPI_GRAPH:
        return read_graph(comm);
    case MPI_DIST_GRAPH:
        return read_dist_graph(comm);
    default:
        return NULL;
    }
}

void wm_neighbours_free(struct wm_neighbours *neighbours)
{
    free(neighbours);
}
