/* Synchronous conveyors: bulk exchanges in place of asynchronous hops.
 *
 * Pushes go to one buffer a link of the first hop. convey_advance is then a collective step of all ranks. They agree,
 * by one allreduce, on what anybody has: pulls that are outstanding, buffers with items, a wish for room, and whether
 * all are done. While pulls are outstanding nothing is exchanged. Otherwise the first hop's buffers are, if somebody
 * found one full or was in haste, if all are done, or, in a steady conveyor, if there is anything; what came is relayed
 * to the next hop's buffers, which are exchanged in the same step. What finds no room there waits at its inlets for the
 * next step, so memory stays a buffer a link at either end.
 *
 * So every rank must call convey_advance as often as the others; all enter CLEANUP in the same call, when nothing is
 * left but pulls, and COMPLETE in the same call, when those are over.
 *
 * Exchanges are calls like a user's own, on communicators of ours: the map's paths of alltoall and alltoallv serve
 * them. A hop's group is its row or column; on ragged grids it is all ranks, most of them with counts of 0. */
#ifndef WM_CONVEY_SYNCHRONOUS_H
#define WM_CONVEY_SYNCHRONOUS_H

#include "core/convey/state.h"

struct wm_synchronous;

/* Build the hops' outlets and inlets of c->route and c->form, and c->hot, for a synchronous design. Collective. 0 or a
 * negative convey_error_, the same at all ranks, and then wm_pipeline_free has been called. */
int wm_sync_build(struct wm_conveyor *c);
void wm_sync_free(struct wm_conveyor *c);
/* Begin a run of a pipeline that is there. Local. */
void wm_sync_rewind(struct wm_conveyor *c);
/* The collective step. Returns convey_OK or a negative code; c->state, which is WORKING until this rank is done, is set
 * as far as COMPLETE. */
int wm_sync_advance(struct wm_conveyor *c);

#endif
