/* Endpoints: what a rank has of a communicator that has joined: a number (core/net/net.h), its part of the node's
 * memory, an engine. They are made of seeds (core/call/seed.h), when all ranks have told theirs: one, or several at
 * once, the others for later communicators of the kin (core/call/pool.h).
 *
 * An endpoint is a user of its kin. Local. */
#ifndef WM_ENDPOINT_H
#define WM_ENDPOINT_H

#include "core/call/comm.h"
#include "core/call/seed.h"

/* What there is to be made of: words[rank × stride], of a kin's ranks. */
struct wm_seeds {
    const wm_seed_word *words;
    int stride;
};

/* How many endpoints all ranks can make; 0: some rank has no number. */
int wm_endpoint_count(const struct wm_kin *kin, const struct wm_seeds *seeds);

/* Make so many, in a list, the oldest first. `id`: of the communicator, in the trace. */
struct wm_endpoint *wm_endpoint_new(struct wm_kin *kin, const struct wm_seeds *seeds, int count, uint32_t id);

/* Free it, its number and its part of the memory. NULL is none. */
void wm_endpoint_free(struct wm_endpoint *endpoint);

#endif
