/* Joining: what the ranks of a communicator must know of one another before its first planned call.
 *
 * Nothing is agreed when a communicator is made. At its first call for which the map has rules each rank takes a number
 * (core/net/net.h), the first rank of each node an area of the node's memory, and all tell all in one allgather on the
 * user's communicator, in the order of its calls. After that the communicator has a grid, a node and an engine. Where a
 * rank has no number left, all ranks see it, and the communicator stays native.
 *
 * A rank that may wait, and has the record of a communicator of the same ranks in its pool (core/call/pool.h), offers
 * that first. When all offer the same one, it is taken over; else all who did not tell a number do so in a second
 * allgather.
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

/* Free what joining has made, so far as it has. Local. */
void wm_join_undo(struct wm_comm *comm);

#endif
