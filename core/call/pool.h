/* The pool: endpoints that no communicator has, for later ones of their kin: some of communicators that are gone, and
 * some that were made ahead.
 *
 * A communicator may take an endpoint of its kin, provided that all its ranks offer one and the same: they tell each
 * other so when they join (core/call/join.h). An endpoint is known by its token: the hash of all ranks' numbers and
 * areas. A rank gives a number to no other endpoint while it holds one with it, so equal tokens mean one endpoint.
 *
 * The pool is bounded and the process's own; ranks may hold different endpoints. A job that is watched has none: a
 * trace tells communicators apart by what the engine knows. Any thread. */
#ifndef WM_POOL_H
#define WM_POOL_H

#include "core/call/comm.h"

/* Keep the endpoint of a communicator that has gone, with nothing in flight, or free it, or another one. */
void wm_pool_keep(struct wm_endpoint *gone);

/* Keep a list of endpoints that were made ahead, or free the oldest ones. NULL is none. */
void wm_pool_stock(struct wm_endpoint *fresh);

/* Take out one of this kin. Ranks that hold the same ones take the same one. NULL: there is none. */
struct wm_endpoint *wm_pool_take(struct wm_kin *kin);

/* Free all. True: there were some. */
bool wm_pool_empty(void);

#endif
