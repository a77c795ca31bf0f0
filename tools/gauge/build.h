/* From samples to a profile. Pure: no MPI, no clock. */
#ifndef WM_GAUGE_BUILD_H
#define WM_GAUGE_BUILD_H

#include <jansson.h>
#include "tools/gauge/estimate.h"
#include "tools/gauge/probes.h"
#include "tools/profile/machine.h"

/* What a group timed of a call, each round's sample in turn; `ns` has room for `room`. Returns how many there are. */
int wm_gauge_samples(const json_t *group, enum wm_gauge_family family, enum wm_operation operation, uint64_t bytes,
                     double *ns, int room);

/* Fill an empty profile by what waymark-gauge wrote; all but the self-test's errors. Returns 0, or -WM_E… with a
 * sentence. */
int wm_gauge_build(struct wm_profile *profile, const json_t *samples, struct wm_error *error);

#endif
