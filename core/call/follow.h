/* Point-to-point calls told to the trace (core/record/own_message.h), as the doors tell of them (waymark/runtime.h).
 * Local. */
#ifndef WM_FOLLOW_H
#define WM_FOLLOW_H

#include <mpi.h>
#include <stdbool.h>
#include "waymark/runtime.h"

/* A blocking call begins. True: its end is to be told. */
bool wm_follow_begin(struct wm_watch_call *call);
void wm_follow_end(const struct wm_watch_call *call, int rc);
/* A call that makes a request begins; it has made it. */
void wm_follow_post(struct wm_watch_call *call);
void wm_follow_posted(const struct wm_watch_call *call, MPI_Request request);

#endif
