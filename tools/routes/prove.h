/* Proof of a conveyor's routes, without running anything: items are followed by links and tags alone.
 *
 * Proven means:
 *   both ends of every link name each other; every pair of ranks is connected: an item for a rank comes there, and that
 * rank takes it for the one whose it is; in order: all items of a pair go one way, over links that keep the order;
 * tags fit; and no buffers wait for each other in a circle. For that last, whatever an item's relay may wait for is an
 * edge: a ring in shared memory waits for what its reader writes to; where links are messages, the parcels of a hop are
 * shared by all its links at a rank, so that what is to be sent waits for what the other end has to receive into, and
 * that for whatever any of its items are relayed to. The last hop waits for the user's pulls alone. Circles are looked
 * for in that graph.
 * All pairs and links of up to WM_NETWORK_EVERY ranks; of larger machines a sample, spread over all axes. */
#ifndef WM_CONVEY_PROVE_H
#define WM_CONVEY_PROVE_H

#include "tools/routes/network.h"

struct wm_convey_proof {
    bool proven;
    struct wm_error error; /* of what is refuted: the sentence; the place is the route's in the map, without a file */
    bool sampled;
    int ranks;
    size_t pairs, links, waits; /* looked at; links of all hops, one way */
    int hops_least, hops_most;  /* of an item; links of a rank to itself count */
    size_t hops_sum;            /* of all pairs' */
    int tag_bits, tag_bytes;
};

/* Prove a network. Returns proof->proven. Ends the process when there is no memory. */
bool wm_convey_prove(struct wm_convey_proof *proof, struct wm_network *network);

#endif
