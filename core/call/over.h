/* What stands over a communicator's record: groups of endpoints, statements. */
#ifndef WM_OVER_H
#define WM_OVER_H

#include "core/call/comm.h"

/* The record of a communicator whose map has rules for the operation, joined; NULL: its map has none. Collective. */
struct wm_comm *wm_comm_ruled(MPI_Comm comm, enum wm_operation operation);

#endif
