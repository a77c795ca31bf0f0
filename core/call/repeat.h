/* Repeat: a blocking call of our own that comes again, without a door. */
#ifndef WM_CALL_REPEAT_H
#define WM_CALL_REPEAT_H

#include <stdbool.h>
#include <stdint.h>
#include "waymark/call.h"

/* Run the call to its end, if it is the last one of its operation again, its plan is short, and nothing else is under
 * way on the communicator; false: nothing was done, and its door has to serve. `call->native` may be NULL. *stamp: the
 * call's, 0 when it is new or on another communicator. */
bool wm_call_repeat(const struct wm_call *call, uint64_t *stamp);

#endif
