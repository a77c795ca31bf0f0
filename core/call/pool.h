/* The pool: endpoints of communicators that are gone, for later ones of their kin.
 *
 * A communicator of the same kin may take an endpoint over, provided that all its ranks offer that of one and the same
 * communicator: they tell each other so when they join (core/call/join.h). An endpoint knows that by its token: the
 * hash of all ranks' numbers and areas. A rank gives a number to no other endpoint while it holds one with it, so equal
 * tokens mean one communicator.
 *
 * The pool is small and the process's own; ranks may hold different endpoints. A job that is watched has none: a trace
 * tells communicators apart by what the engine knows. Any thread. */
#ifndef WM_POOL_H
#define WM_POOL_H

#include "core/call/comm.h"

/* Keep the endpoint of a communicator that has gone, with nothing in flight; it is empty then. Another one may be
 * released for it, and an endpoint that nobody else should have stays the caller's. */
void wm_pool_keep(struct wm_endpoint *gone);

/* Take out one of this kin. Ranks that hold the same ones take the same one. False: there is none. */
bool wm_pool_take(const struct wm_kin *kin, struct wm_endpoint *found);

/* Take any out, for the caller to release; false: there is none left. */
bool wm_pool_empty(struct wm_endpoint *any);

#endif
