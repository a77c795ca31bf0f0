/* A profile held against calls that were drawn after it was made. */
#ifndef WM_GAUGE_CHECK_H
#define WM_GAUGE_CHECK_H

#include <jansson.h>
#include "tools/profile/machine.h"
#include "tools/text/table.h"

/* Predict the calls of the samples' self-test behind the first `from` by the profile and by the probes' map in
 * `map_file`; tell how far off the predictions are, how often the stated ± holds, and where they are worst. Beside
 * that, how far two measurements of the same calls are apart, each of every other round: nobody can predict better.
 * Returns 0, or -WM_E… with a sentence. */
int wm_gauge_check(const struct wm_profile *profile, const json_t *samples, int from, const char *map_file,
                   const struct wm_terminal *terminal, struct wm_error *error);

#endif
