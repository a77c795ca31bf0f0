/* The pool: records of communicators that are gone, for later ones of the same ranks.
 *
 * A record that has joined keeps what that made, its paths and its plans, when its communicator is freed. A
 * communicator of the same ranks in the same order, with the same map and name, may take it over, provided that all its
 * ranks offer the record of one and the same communicator: they tell each other so when they join (core/call/join.h). A
 * record knows that by its token: the hash of all ranks' numbers and areas. A rank gives none of its numbers away twice
 * while it holds the record, so equal tokens mean one communicator.
 *
 * The pool is small and the process's own; ranks may hold different records. A job that is watched has none: a trace
 * tells communicators apart by what the engine knows. Any thread. */
#ifndef WM_POOL_H
#define WM_POOL_H

#include "core/call/comm.h"

/* Keep the record of a communicator that has gone, with nothing in flight. Returns the record that the caller is to
 * free: this one, where no other communicator should have it; an older one; or NULL. */
struct wm_comm *wm_pool_keep(struct wm_comm *gone);

/* Take out the latest record that `comm`, which has not joined, might take over; NULL: there is none. */
struct wm_comm *wm_pool_take(const struct wm_comm *comm);

/* Put it back: the ranks have not offered the same one. */
void wm_pool_put_back(struct wm_comm *gone);

/* Take it over: `comm` has joined, and `gone` is freed. */
void wm_pool_adopt(struct wm_comm *comm, struct wm_comm *gone);

/* Take any record out, for the caller to free; NULL: there is none left. */
struct wm_comm *wm_pool_empty(void);

#endif
