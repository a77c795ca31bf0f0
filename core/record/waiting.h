/* Waiting: how long the program is inside MPI_Wait and its like for the collectives and messages that it began.
 *
 * While such a call is recorded its request stands in a table by its handle. The doors of the completion calls look
 * their requests up, take the time, and see afterwards which of them are complete. Those get their WAIT record, and a
 * call of the library's own its LEAVE, since only then it is known to be over. With an empty table a completion call
 * pays one load (waymark/runtime.h has what the doors call).
 *
 * An entry belongs to the table from wm_waited_list on, and goes when the call is complete. The entry of a persistent
 * request belongs to the request, and stands in the table between start and completion alone. A found entry is claimed
 * by its door: the library may give its handle to another thread's request before that door returns. */
#ifndef WM_WAITING_H
#define WM_WAITING_H

#include "core/record/own_message.h"
#include "core/record/region.h"

struct wm_waited {
    struct wm_record_region region;
    struct wm_own_message own; /* number above 0: it is such a message, and the region is not used */
    bool leaves;               /* its LEAVE is to be recorded with the wait */
    bool persistent, listed;
    bool library;         /* persistent, and the library is to be asked whether it is over */
    bool claimed;         /* by a door; under the table's lock */
    _Atomic bool resting; /* persistent: it was started, and is over */
    MPI_Request handle;
    uint64_t ticks; /* inside completion calls so far */
    int index;      /* among the requests of the completion call that has found it */
    struct wm_waited *next, *next_found, *next_lasting /* own_message.c's */;
};

/* Zeroed; NULL where `kinds` has no waits. */
struct wm_waited *wm_waited_new(uint64_t kinds);
/* NULL is allowed. Takes it out of the table. */
void wm_waited_free(struct wm_waited *waited);
/* The user will wait for `handle`. A call that the table has under the same handle is over: nobody told us. */
void wm_waited_list(struct wm_waited *waited, MPI_Request handle);
/* The user frees the request and will not wait: nothing more is learnt of the call. */
void wm_waited_forget(MPI_Request handle);

#endif
