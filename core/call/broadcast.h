/* Plans that broadcast bytes of our own, along a binomial tree of all ranks. */
#ifndef WM_BROADCAST_H
#define WM_BROADCAST_H

#include "core/call/comm.h"

/* A plan for `bytes` from rank `root`, in the receive buffer. The caller's (wm_plan_free). Local. */
struct wm_plan *wm_broadcast_plan(const struct wm_comm *comm, int root, size_t bytes);

#endif
