/* Plans for data of our own, of paths that no map has said: along trees and butterflies of all ranks. */
#ifndef WM_BROADCAST_H
#define WM_BROADCAST_H

#include "core/call/comm.h"

/* A plan for `bytes` from rank `root`, in the receive buffer. The caller's (wm_plan_free). Local. */
struct wm_plan *wm_broadcast_plan(const struct wm_comm *comm, int root, size_t bytes);

/* A plan for an allreduce that is described (core/call/describe.h). The caller's. Local. */
struct wm_plan *wm_allreduce_plan(const struct wm_comm *comm, const struct wm_plan_call *call);

#endif
