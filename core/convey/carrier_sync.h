/* The carrier of a synchronous hop: outlets keep what is written until all ranks exchange it.
 *
 * A link has one buffer of form.units units at its outlet, and one at its inlet. `close` leaves the buffer where it is,
 * and `open` goes on behind it while there is room. An exchange moves the buffers of all links of the hop: each rank's
 * go to a member of the hop's group as one message, its links in the order of their numbers at the receiver. */
#ifndef WM_CONVEY_CARRIER_SYNC_H
#define WM_CONVEY_CARRIER_SYNC_H

#include "core/convey/carrier.h"

/* `comm`: the hop's group, all of whose ranks make their carriers; `member`: the rank there of each rank of the
 * conveyor's communicator, read here alone. All links are the carrier's. Buffers are of the store.
 * Local. Returns 0, -WM_ENOMEM; -WM_EINVAL: buffers exceed what MPI can count. */
int wm_carrier_sync_new(struct wm_carrier **carrier, const struct wm_carrier_links *links, MPI_Comm comm,
                        const int *member, struct wm_convey_store *store);

/* Exchange all that outlets hold; no outlet has an open buffer, and of the inlets none has anything but a chunk that is
 * used up, for which wm_carrier_sync_spare returned true. `align`: of what fixed items at the inlets begin at.
 * Collective over the group; waits. Returns how many calls of MPI did it; 0: it failed. */
int wm_carrier_sync_exchange(struct wm_carrier *carrier, size_t align);

/* Somebody asked for room, or for haste, since the last exchange. */
bool wm_carrier_sync_wanted(const struct wm_carrier *carrier);
/* Outlets hold something; inlets have something that was not taken, or is not used up. */
bool wm_carrier_sync_loaded(const struct wm_carrier *carrier);
bool wm_carrier_sync_landed(const struct wm_carrier *carrier);
/* There is memory to receive into beside the chunks that inlets still have. False: not before they are given back. */
bool wm_carrier_sync_spare(struct wm_carrier *carrier);
/* Nothing will come any more: inlets that are empty have ended. */
void wm_carrier_sync_end(struct wm_carrier *carrier);

#endif
