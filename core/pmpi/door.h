/* What the doors share: how they are exported, and the guard against being entered twice. */
#ifndef WM_PMPI_DOOR_H
#define WM_PMPI_DOOR_H

#include <mpi.h>
#include <stdbool.h>
#include "core/call.h"
#include "core/runtime.h"

/* The project is compiled with hidden visibility; a door is exported, to be found before MPI's function. */
#define DOOR __attribute__((visibility("default")))

/* Set while a collective of this thread is inside the runtime: a collective that the MPI library or a
 * callback makes meanwhile goes straight to PMPI. The preloaded library's thread-local storage is there
 * before any thread is, so the initial-exec model, a single load, is safe.
 *
 * Makers and leavers have no guard: an attribute's delete function may free communicators of its own within
 * MPI_Comm_free, and those need their shadows freed like any other. */
static __thread bool door_is_passing __attribute__((tls_model("initial-exec"), unused));

static inline struct wm_comm *door_enter(MPI_Comm comm, enum wm_operation operation)
{
    return door_is_passing ? NULL : wm_comm_enter(comm, operation);
}

static inline int door_pass(struct wm_comm *comm, const struct wm_call *call)
{
    int rc;

    door_is_passing = true;
    rc = wm_call_run(comm, call);
    door_is_passing = false;
    return rc;
}

#endif
