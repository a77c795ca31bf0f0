/* Topologies for proofs: every rank's neighbours, as MPI would tell them, and which block goes where. */
#ifndef WM_PROOF_TOPOLOGY_H
#define WM_PROOF_TOPOLOGY_H

#include <stdint.h>
#include "core/plan/planner.h"
#include "tools/proof/arena.h"

struct wm_topology {
    int ranks, destinations_max;
    struct wm_neighbours *of; /* by rank */
};

/* A grid of two dimensions, as square as the ranks allow; bit d of `periodic`: dimension d closes. */
struct wm_topology wm_topology_cartesian(struct wm_arena *arena, int ranks, unsigned periodic);
/* A distributed graph of up to `degree` edges a rank: some to itself, some twice, some to nobody. */
struct wm_topology wm_topology_random(struct wm_arena *arena, int ranks, int degree, uint64_t seed);

/* Which of its source's destinations the rank is by source number `slot`: the k-th edge between two ranks in the
 * sender's list is the k-th in the receiver's. In a cartesian topology what goes one way arrives from the other
 * (MPI-3.1 7.6). The source must not be -1. */
int wm_topology_slot(const struct wm_topology *topology, int rank, int slot);

#endif
