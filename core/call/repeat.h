/* Repeat: a blocking call of our own that comes again, without a door. */
#ifndef WM_CALL_REPEAT_H
#define WM_CALL_REPEAT_H

#include "core/call/records.h"

/* What is known of a call that may come again; zero: nothing, as it is new. */
struct wm_repeat {
    struct wm_record_found on;
    uint64_t stamp;
};

/* Run the call to its end, if it is the last one of its operation again, its plan is short, and nothing else is under
 * way on the communicator; false: nothing was done, and its door has to serve. `call->native` may be NULL. */
bool wm_call_repeat(const struct wm_call *call, struct wm_repeat *repeat);

#endif
