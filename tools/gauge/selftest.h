/* The self-test: calls on which nothing was fitted, predicted and held against what they took. */
#ifndef WM_GAUGE_SELFTEST_H
#define WM_GAUGE_SELFTEST_H

#include <jansson.h>
#include "tools/predict/conveyors.h"
#include "tools/profile/machine.h"

struct wm_gauge_verdict {
    int count;             /* of calls that were predicted */
    double median, ninety; /* relative errors of the predictions as they are corrected: half of them, nine of ten */
};

/* Predict the first `calls` calls of the self-test by the probes' map in `map_file`, and add the errors to the profile.
 * Returns 0, or -WM_E… with a sentence. */
int wm_gauge_test(struct wm_gauge_verdict *verdict, struct wm_profile *profile, const json_t *samples, int calls,
                  const char *map_file, struct wm_error *error);

/* Predict a conveyor of the samples by the same map, on the machine where it ran. Likewise. */
int wm_gauge_predict_conveyor(struct wm_convey_prediction *prediction, const struct wm_site_map *map,
                              const struct wm_site *site, const json_t *probe, const struct wm_profile *profile,
                              struct wm_error *error);

#endif
