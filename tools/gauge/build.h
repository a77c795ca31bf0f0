/* From samples to a profile. Pure: no MPI, no clock. */
#ifndef WM_GAUGE_BUILD_H
#define WM_GAUGE_BUILD_H

#include <jansson.h>
#include "tools/profile/machine.h"

/* Fill an empty profile by what waymark-gauge wrote; all but the self-test's errors. Returns 0, or -WM_E… with a
 * sentence. */
int wm_gauge_build(struct wm_profile *profile, const json_t *samples, struct wm_error *error);

#endif
