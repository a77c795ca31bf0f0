/* Conveyors as probes: runs of items over conveyors of this room's own, by rules of the probes' map, and what items and
 * buffers cost by them. Pure: no MPI, no clock.
 *
 * A time is that of the whole run, from when all ranks begin to push until the last one is done, less what the loop
 * itself takes. Items are pushed and pulled one by one; their destinations are drawn. */
#ifndef WM_GAUGE_CONVEYORS_H
#define WM_GAUGE_CONVEYORS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/gauge/estimate.h"
#include "tools/profile/machine.h"

/* Whom items are for: any rank, the rank behind one's own, oneself. */
enum wm_gauge_aim { WM_GAUGE_ANY, WM_GAUGE_NEXT, WM_GAUGE_OWN };

struct wm_gauge_conveyor {
    int net; /* enum wm_net_kind, within a host */
    int hops, buffers;
    uint64_t buffer_bytes, item_bytes;
    int64_t items; /* that a rank pushes in a run */
    enum wm_gauge_aim aim;
    bool phases; /* pushes and pulls are timed apart, which shorter runs would feel */
};

/* One for so many calls of the self-test. */
enum { WM_GAUGE_CONVEYORS_EVERY = 2 };
enum { WM_GAUGE_CONVEYORS_MAX = 512, WM_GAUGE_CONVEYOR_CHARS = 64, WM_GAUGE_ITEM_BYTES_MAX = 1024 };

struct wm_gauge_conveyors {
    int count;
    struct wm_gauge_conveyor of[WM_GAUGE_CONVEYORS_MAX];
};

/* What a run told; all ns. X(field) */
#define WM_GAUGE_CARRIED(X) X(run) X(begin) X(drain) X(push) X(pull)
struct wm_gauge_carried {
#define X(field) double field;
    WM_GAUGE_CARRIED(X)
#undef X
};

/* Those of a pair of ranks; `near`: they share memory. And so many of the self-test, drawn by the seed, the same
 * everywhere. */
void wm_gauge_conveyors_pair(struct wm_gauge_conveyors *list, bool near);
void wm_gauge_conveyors_test(struct wm_gauge_conveyors *list, uint64_t seed, int count);

/* The conveyor's name, which stands for its design. Returns `out`. */
const char *wm_gauge_conveyor_name(const struct wm_gauge_conveyor *conveyor, char out[WM_GAUGE_CONVEYOR_CHARS]);
/* Print rules for them, each once, as a part of a map. */
void wm_gauge_conveyors_print(FILE *out, const struct wm_gauge_conveyors *lists, int list_count);

/* A probe as it stands in the samples, and what its rounds told of a field. */
json_t *wm_gauge_conveyor_write(const struct wm_gauge_conveyor *conveyor);
struct wm_gauge_conveyor wm_gauge_conveyor_read(const json_t *json);
struct wm_gauge_estimate wm_gauge_conveyor_estimate(const json_t *probe, const char *field);

/* Add rows of items and buffers, by the samples of two ranks of a host, of two hosts, and of two clusters; NULL: there
 * are none. Returns 0 or -WM_ENOMEM. */
int wm_gauge_conveyors_build(struct wm_profile *profile, const json_t *near, const json_t *far, const json_t *farthest);

#endif
