/* Plans of our own paths, which no map has said: along trees, butterflies and by dissemination, of all ranks. */
#ifndef WM_BROADCAST_H
#define WM_BROADCAST_H

#include "core/call/comm.h"

/* A plan for `bytes` from rank `root`, in the receive buffer. The caller's (wm_plan_free). Local. */
struct wm_plan *wm_broadcast_plan(const struct wm_comm *comm, int root, size_t bytes);
/* A plan of messages after which this rank has heard of all others. The caller's, as well. Local. */
struct wm_plan *wm_barrier_plan(const struct wm_comm *comm);

/* A plan for an allreduce or alltoall that is described (core/call/describe.h). The caller's. Local. */
struct wm_plan *wm_own_plan(const struct wm_comm *comm, const struct wm_plan_call *call);

#endif
