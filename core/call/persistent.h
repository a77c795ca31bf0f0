/* Persistent calls (waymark/runtime.h has what the doors call). */
#ifndef WM_PERSISTENT_H
#define WM_PERSISTENT_H

#include "core/call/comm.h"

/* Free what inactive persistent requests of a communicator have, before its record goes. */
void wm_persistent_forget(struct wm_comm *comm);

#endif
