/* Joining: what the ranks of a communicator must know of one another before its first planned call.
 *
 * Nothing is agreed when a communicator is made. At its first call for which the map has rules each rank finds its kin
 * (core/call/kin.h), offers an endpoint out of the pool (core/call/pool.h), if there is one, and has a seed for new
 * ones (core/call/seed.h); and all tell all in one allgather on the user's communicator, in the order of its calls: the
 * seed, the token of the endpoint that is offered, and the hash of the paths that are known. What all offer alike is
 * taken over; where they differ, new endpoints are made, or the communicator begins without paths. Where a rank has no
 * number left, all ranks see it, and the communicator stays native.
 *
 * States: enum wm_joined (core/call/comm.h). All functions are called with the communicator's lock held, for a record
 * that is not native_only. */
#ifndef WM_JOIN_H
#define WM_JOIN_H

#include "core/call/comm.h"

/* Join, or wait until a joining that has begun is over. Blocks. Collective over the user's communicator. */
void wm_join(struct wm_comm *comm);

/* Begin to join, unless that was done: in a call that may not wait. */
void wm_join_begin(struct wm_comm *comm);

/* Go on. Never blocks. True: it is over. */
bool wm_join_advance(struct wm_comm *comm);

#endif
