/* The records of the process's communicators: made, found and freed. The doors enter here (waymark/runtime.h).
 *
 * A record hangs on its communicator as an attribute that is not copied. It is made when the communicator is made, or,
 * where that was not seen, in its first blocking collective; it goes when the communicator and its last request have.
 */
#ifndef WM_RECORDS_H
#define WM_RECORDS_H

#include "core/call/comm.h"

/* Prepare for communicators: the attribute's key. Returns 0 or -WM_EMPI. */
int wm_comm_start(void);

/* Free the records and shadows of all communicators that are left, and the key. Collective. */
void wm_comm_stop(void);

#endif
