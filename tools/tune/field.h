/* A field: the points of an operation, what was found out at each, and the rules that follow. Pure.
 *
 * A point is a size. A path may serve it if it is not more than 3 % behind the best there and no slower than native;
 * rules take of these what needs the fewest rules, and then the least effort to read. So a path does not change from
 * size to size for noise's sake, and where nothing beats native by more than 3 % the call stays native. */
#ifndef WM_TUNE_FIELD_H
#define WM_TUNE_FIELD_H

#include <stdbool.h>
#include <stdint.h>
#include "tools/tune/paths.h"
#include "tools/tune/race.h"

enum { WM_TUNE_POINTS_MAX = 64 };

/* States: raced, or forced: native alone serves it, whatever was measured. */
struct wm_tune_point {
    uint64_t bytes;
    bool forced;
    int rounds, path; /* that the rules take; 0: native */
    double fast_ns, native_ns;
    bool serves[WM_TUNE_PATHS_MAX];
    double ns[WM_TUNE_PATHS_MAX];                                /* 0: not measured to the end */
    double gain[WM_TUNE_PATHS_MAX], gain_low[WM_TUNE_PATHS_MAX]; /* native's time divided by the path's */
};

struct wm_tune_field {
    enum wm_operation operation;
    struct wm_tune_list list;
    int count;
    struct wm_tune_point points[WM_TUNE_POINTS_MAX]; /* by bytes */
    int held, held_out;                              /* sizes on which rules were confirmed: they held, of so many */
};

/* Neighbouring points of one path. */
struct wm_tune_rule {
    int first, last, path; /* points, both included */
    uint64_t bound;        /* up to there, or below it; of the last rule up to there */
    bool below;
};

/* Add what a race found out at `bytes`, in the place of what stood there. False: there is no room. */
bool wm_tune_field_add(struct wm_tune_field *field, const struct wm_tune_race *race, uint64_t bytes, double fast_ns);
/* A rule broke its promise at `bytes`: native serves there. False: there is no room. */
bool wm_tune_field_force(struct wm_tune_field *field, uint64_t bytes, double native_ns);
/* Choose the path of every point. */
void wm_tune_field_choose(struct wm_tune_field *field);
/* The rules of the paths that are chosen; `rules` has room for WM_TUNE_POINTS_MAX. Where native is on one side of a
 * bound, what is between two points is native. Returns how many there are. */
int wm_tune_field_rules(const struct wm_tune_field *field, struct wm_tune_rule *rules);
/* A power of two between two neighbouring points whose paths differ, the middle one; 0: there is none. */
uint64_t wm_tune_field_gap(const struct wm_tune_field *field);
/* The path that the rules give to so many bytes. */
int wm_tune_field_path(const struct wm_tune_field *field, uint64_t bytes);

#endif
