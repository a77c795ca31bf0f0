/* Shadows: the communicator of ours that stands beside one of the user's, and what plans need on it: grid, node and
 * engine. Here alone they are made.
 *
 * States: none (native_only) · pending (of a duplicate by MPI_Comm_idup: its making stands in the parent's queue) ·
 * there · freed. */
#ifndef WM_SHADOW_H
#define WM_SHADOW_H

#include "core/call/comm.h"

/* Make the shadow of a communicator, with grid, node and engine. `world`: the world ranks of its ranks. Collective over
 * the user's communicator. Returns 0, or -WM_E… with the error filled, the same at all ranks. */
int wm_shadow_make(struct wm_comm *comm, const int *world, struct wm_error *error);

/* The grid and the node of a duplicate, whose shadow is pending. Local. Returns 0, or -WM_E…, the same at all ranks. */
int wm_shadow_like(struct wm_comm *comm, struct wm_comm *parent, const int *world, struct wm_error *error);

/* Go on making a pending shadow, when the parent's queue has come to it. Never blocks. True: it is there. Hold the
 * parent's lock. */
bool wm_shadow_advance(struct wm_comm *comm);

/* Wait until a shadow is not pending any more. Hold the lock. */
void wm_shadow_await(struct wm_comm *comm);

/* Free shadow, engine, node and grid, so far as there are any. Collective. */
void wm_shadow_free(struct wm_comm *comm);

#endif
