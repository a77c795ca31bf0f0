/* Endpoints: what a rank has of a communicator that has joined: a number (core/net/net.h), its part of the node's
 * memory, an engine. First it is prepared, with what the others must be told; when they have told theirs, it is opened.
 *
 * An endpoint is a user of its kin. All bytes zero: there is none. Local. */
#ifndef WM_ENDPOINT_H
#define WM_ENDPOINT_H

#include "core/call/comm.h"

/* What a rank tells of its endpoint: the offset of an area of its node's memory that it has taken, a multiple of a
 * memory piece, and below it its number + 1; 0 is none of either. */
typedef uint64_t wm_endpoint_entry;

/* Prepare one for a communicator with a kin, and get what is to be told. */
wm_endpoint_entry wm_endpoint_prepare(struct wm_endpoint *endpoint, struct wm_kin *kin);

/* Get what is to be told of one that may be taken over: its number, and an area that is untouched until it is renewed.
 */
wm_endpoint_entry wm_endpoint_offer(struct wm_endpoint *endpoint);

/* It is not taken over: keep the number and the untouched area alone, as if just prepared. */
void wm_endpoint_renew(struct wm_endpoint *endpoint);

/* All have told theirs: entries[rank × stride]. `id`: the communicator's, in the trace. False: some rank has no number,
 * and there is no engine. */
bool wm_endpoint_open(struct wm_endpoint *endpoint, const wm_endpoint_entry *entries, int stride, uint32_t id);

/* Free what there is of it, so far as it was made. It is none afterwards. */
void wm_endpoint_release(struct wm_endpoint *endpoint);

#endif
