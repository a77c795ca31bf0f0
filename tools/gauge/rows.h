/* Rows of a profile while it is made, and the samples that they are made of. Pure. */
#ifndef WM_GAUGE_ROWS_H
#define WM_GAUGE_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include "tools/gauge/estimate.h"
#include "tools/gauge/fit.h"
#include "tools/gauge/probes.h"
#include "tools/profile/machine.h"

enum { WM_GAUGE_SAMPLES_MAX = 256, WM_GAUGE_POINTS_MAX = 64 };

/* Parts of the engine's work that no probe tells apart, in ns. */
static const double wm_gauge_step_ns = 10, wm_gauge_poll_ns = 10, wm_gauge_post_ns = 50;

/* Pieces of a fit that agree so well are one. */
static const double wm_gauge_tolerance = 0.02;

struct wm_gauge_build {
    struct wm_profile *profile;
    const json_t *samples;
    double flight; /* ns */
    struct wm_gauge_estimate flight_estimate;
    bool short_of_memory;
};

/* ---- samples ---- */

double wm_gauge_number(const json_t *json, const char *key);

/* What a group timed of a call, each round's sample in turn; `ns` has room for `room`. Returns how many there are. */
int wm_gauge_samples(const json_t *group, enum wm_gauge_family family, enum wm_operation operation, uint64_t bytes,
                     double *ns, int room);
struct wm_gauge_estimate wm_gauge_estimate_of(const json_t *group, enum wm_gauge_family family,
                                              enum wm_operation operation, uint64_t bytes);

/* What was timed of a call at all its sizes. */
struct wm_gauge_series {
    int count, n;
    double width;
    struct wm_gauge_point points[WM_GAUGE_POINTS_MAX + 1];
};

void wm_gauge_add_point(struct wm_gauge_series *series, uint64_t bytes, struct wm_gauge_estimate estimate);
/* From `low`, which is not in it, to `high`. */
struct wm_gauge_series wm_gauge_list_series(const json_t *group, enum wm_gauge_family family,
                                            enum wm_operation operation, uint64_t low, uint64_t high);

/* ---- rows ---- */

/* Values of one row, as they are set one after the other. */
struct wm_gauge_filling {
    struct wm_profile_row *row; /* NULL: there was no memory, and nothing is set */
    double width;               /* relative half of the interval */
    int n;
    const char *probe;
};

struct wm_gauge_filling wm_gauge_add_row(struct wm_gauge_build *build, enum wm_profile_section section,
                                         const char *name, int net, int members, uint64_t up_to);
/* In the parameter's unit; from ns; from ns a byte. */
void wm_gauge_set(const struct wm_gauge_filling *filling, int parameter, double value, enum wm_profile_origin origin);
void wm_gauge_set_ns(const struct wm_gauge_filling *filling, int parameter, double ns, enum wm_profile_origin origin);
void wm_gauge_set_slope(const struct wm_gauge_filling *filling, int parameter, double ns_per_byte,
                        enum wm_profile_origin origin);

#endif
