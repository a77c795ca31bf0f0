/* The runtime of one process: settings, the map, the recorder, the communicators. What the doors call.
 *
 * States: asleep (MPI_Init not called, or the runtime is switched off: every door goes straight to PMPI), awake
 * (between wm_runtime_start and wm_runtime_stop). Nothing happens before MPI_Init: the library is preloaded into shells
 * and launchers too.
 *
 * Environment: WAYMARK_MAP (map file or name of a shipped map; unset: no rules), WAYMARK_TRACE (directory; unset: no
 * trace), WAYMARK_TRACE_MODE (flight or full), WAYMARK_TRACE_BYTES, WAYMARK_ON_ERROR (abort or native),
 * WAYMARK_VERBOSE (0, 1, 2), WAYMARK_MAP_DEADLINE (seconds). The one table is core/settings.h. */
#ifndef WM_RUNTIME_H
#define WM_RUNTIME_H

#include <mpi.h>
#include <stdbool.h>
#include "core/call.h"

/* What libwaymark gives to the doors, and to programs that would rather link it than preload it. */
#define WM_EXPORT __attribute__((visibility("default")))

struct wm_comm;

/* Wake the runtime; call it right after a successful PMPI_Init(_thread). Collective over MPI_COMM_WORLD.
 * A bad map or setting ends the job by PMPI_Abort with one message, printed by rank 0 alone, or, with
 * WAYMARK_ON_ERROR=native, leaves the runtime asleep on all ranks. Returns 0 or -WM_E… (then asleep). */
WM_EXPORT int wm_runtime_start(void);

/* Put the runtime to sleep; call it right before PMPI_Finalize. Collective over MPI_COMM_WORLD. Prints the summary that
 * WAYMARK_VERBOSE=1 asks for, closes the recorder and the map server, frees the shadow communicators. */
WM_EXPORT void wm_runtime_stop(void);

/* A communicator was made (dup, split, create, cart, graph, merge, spawn, …): give it its shadow. Collective over the
 * communicator. MPI_COMM_NULL, intercommunicators and a sleeping runtime are allowed and do nothing. */
WM_EXPORT void wm_comm_made(MPI_Comm comm);

/* A communicator is about to be freed or disconnected: free its shadow. Collective over it. */
WM_EXPORT void wm_comm_going(MPI_Comm comm);

/* The communicator's record if a call of `operation` on it must pass through wm_call_run; NULL when the door is to call
 * PMPI straight away (asleep, no rule and no trace, intercommunicator, a native path without a trace).
 * This is on every call's way: one load and a compare when asleep, a one-entry cache when awake. */
WM_EXPORT struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation);

/* Carry out a call: by its path, or by call->native between two marks. Returns what the MPI function returns, after
 * having raised errors on the user's communicator. */
WM_EXPORT int wm_call_run(struct wm_comm *comm, const struct wm_call *call);

#endif
