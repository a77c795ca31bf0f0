/* Topologies: what the doors ask of them. NULL: no memory. All is local. */
#ifndef WM_SUBRANK_TOPOLOGY_H
#define WM_SUBRANK_TOPOLOGY_H

#include "core/subrank/rank.h"

struct wm_rank_topology *wm_rank_cart_new(int dimensions, const int sizes[], const int rings[], int self);
/* The rank at coordinates, MPI_PROC_NULL outside of the grid; and the reverse. */
int wm_rank_cart_rank(const struct wm_rank_topology *t, const int coordinates[]);
void wm_rank_cart_coordinates(const struct wm_rank_topology *t, int rank, int coordinates[]);
/* The rank so far away from this one, or MPI_PROC_NULL. */
int wm_rank_cart_neighbour(const struct wm_rank_topology *t, int dimension, int displacement);

struct wm_rank_topology *wm_rank_graph_new(int nodes, const int index[], const int edges[], int self);
const int *wm_rank_graph_neighbours(const struct wm_rank_topology *t, int rank, int *count);

/* Weights NULL: it has none. */
struct wm_rank_topology *wm_rank_dist_graph_new(const struct wm_neighbours *neighbours, const int *source_weights,
                                                const int *destination_weights);

#endif
