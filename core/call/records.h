/* The records of the process's communicators: made, found and freed. The doors enter here (waymark/runtime.h).
 *
 * A record hangs on its communicator as an attribute that is not copied. It is made in the first call on it for which
 * the map has rules; with the communicator, where that has a map of its own, or is traced. It goes when the
 * communicator and its last request have. */
#ifndef WM_RECORDS_H
#define WM_RECORDS_H

#include <stdatomic.h>
#include "core/call/comm.h"

/* Prepare for communicators: the attribute's key. Returns 0 or -WM_EMPI. */
int wm_comm_start(void);

/* The record of a communicator, made if it has none; NULL for MPI_COMM_NULL. Local. */
struct wm_comm *wm_comm_record(MPI_Comm comm);

/* As wm_comm_enter, for callers within the library. */
struct wm_comm *wm_record_enter(MPI_Comm comm, enum wm_operation operation);

/* A record that was found, for callers that ask again: it is the communicator's while no record comes or goes. */
struct wm_record_found {
    MPI_Comm comm;
    struct wm_comm *record; /* NULL: none was found */
    unsigned generation;
};

/* Goes up when a record comes or goes. */
extern _Atomic unsigned wm_records_generation;

static inline bool wm_record_holds(const struct wm_record_found *found, MPI_Comm comm)
{
    return found->record != NULL && found->comm == comm &&
           found->generation == atomic_load_explicit(&wm_records_generation, memory_order_acquire);
}

/* Free the records of all communicators that are left, and the key, once what is in flight has ended. */
void wm_comm_stop(void);

#endif
