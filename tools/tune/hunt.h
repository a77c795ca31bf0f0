/* The hunt: what rank 0 does in the time that it has: an operation's candidates sifted and raced, brackets halved,
 * rules confirmed. */
#ifndef WM_TUNE_HUNT_H
#define WM_TUNE_HUNT_H

#include "tools/profile/machine.h"
#include "tools/text/sizes.h"
#include "tools/tune/field.h"
#include "tools/tune/session.h"

struct wm_tune_hunt {
    struct wm_tune_session *session;
    const struct wm_profile *profile; /* NULL: none is given */
    double begin_s, end_s;
    uint64_t seed;
    bool shows;       /* a progress line */
    bool interrupted; /* by the user */
    const char *fault;
};

/* Ask for an end. May be called in a signal handler. */
void wm_tune_interrupt(void);
double wm_tune_now_s(void);

/* Tune the operation of a field for the sizes, until `end_s`; at points that are in the field already nothing is raced.
 * Choose its paths. Returns false when it could not go on: interrupted, or hunt->fault says why; what was found out
 * until then is in the field. */
bool wm_tune_hunt_operation(struct wm_tune_hunt *hunt, struct wm_tune_field *field, const struct wm_size_list *sizes,
                            double end_s, struct wm_error *error);

#endif
