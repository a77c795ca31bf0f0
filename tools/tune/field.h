/* A field: the points of an operation, what was found out at each, and the rules that follow. Pure.
 *
 * A point is a size. What a launch of the job finds out there about a path is joined with what others found out: a path
 * is *safe* at a point if it was surely no slower than native in each race that was held there, in whatever launch,
 * by its mean over roots that are drawn, and whatever state the machine was in. Only safe paths make rules. Of these
 * the rules take what needs the fewest rules, and then the least effort to read; up to 3 % behind the best one costs
 * nothing, what is beyond is weighed against a rule more. So a path does not change from size to size for noise's sake,
 * and where nothing safe beats native the call stays native. */
#ifndef WM_TUNE_FIELD_H
#define WM_TUNE_FIELD_H

#include <stdbool.h>
#include <stdint.h>
#include "tools/text/sizes.h"
#include "tools/tune/kind.h"
#include "tools/tune/paths.h"
#include "tools/tune/race.h"

enum { WM_TUNE_POINTS_MAX = 1024, WM_TUNE_SEEN_MAX = 24, WM_TUNE_RULES_MAX = 64, WM_TUNE_NAME_CHARS = 64 };

/* The largest call that is tuned. */
enum { WM_TUNE_BYTES_MAX = INT32_MAX / 64 };

/* What is known of a path at a point: of logarithms of native's time divided by the path's. */
struct wm_tune_seen {
    int path, races;
    uint32_t launches; /* bit by number */
    double low;        /* the least of the races' lower bounds (95 %) */
    double gain;       /* the mean of their middles */
    double ns;         /* in the last of them */
};

struct wm_tune_point {
    uint64_t bytes;
    bool held_out;    /* drawn to confirm rules */
    int races;        /* held there */
    int rounds, path; /* of the last race; that the rules take, 0: native */
    int fast;         /* the path of the map 'fast'; 0: native, or none of the list */
    double native_ns; /* in the last race */
    int seen_count;
    struct wm_tune_seen seen[WM_TUNE_SEEN_MAX];
};

struct wm_tune_field {
    enum wm_operation operation;
    struct wm_size_list sizes;     /* to be tuned for */
    uint64_t load_bytes;           /* of a conveyor: that a rank pushes in a run */
    char name[WM_TUNE_NAME_CHARS]; /* of the conveyors that its rules are for; "": all */
    double weight;                 /* its share of the time */
    bool raced;                    /* the first race is over */
    struct wm_tune_list list;
    int count;
    struct wm_tune_point points[WM_TUNE_POINTS_MAX]; /* by bytes */
};

/* Neighbouring points of one path. */
struct wm_tune_rule {
    int first, last, path; /* points, both included */
    uint64_t from, bound;  /* its sizes, both included */
    uint32_t launches;     /* that confirmed it at sizes that were drawn */
};

/* What a race found out at `bytes` in launch number `launch` is joined to what is known of the point; `fresh`: it takes
 * its place. Returns the point; NULL: there is no room. */
struct wm_tune_point *wm_tune_field_add(struct wm_tune_field *field, const struct wm_tune_race *race, uint64_t bytes,
                                        int launch, bool fresh);
/* The size at which it has room for what is to be found out of so many bytes: they themselves, or, where it is full,
 * the next known one, the last one beyond it. */
uint64_t wm_tune_field_room(const struct wm_tune_field *field, uint64_t bytes);
/* Forget a point. */
void wm_tune_field_drop(struct wm_tune_field *field, uint64_t bytes);
/* What is known of a path at a point; NULL: nothing. */
const struct wm_tune_seen *wm_tune_point_seen(const struct wm_tune_point *point, int path);
/* Is the path safe there? Native always is. */
bool wm_tune_point_safe(const struct wm_tune_point *point, int path);
/* Choose the path of every point. */
void wm_tune_field_choose(struct wm_tune_field *field);
/* The rules of the paths that are chosen, at most WM_TUNE_RULES_MAX; native's have a rule, too. A bound is a power of
 * two where points leave room for one; where native is on one side of it, what is between two points is native.
 * Returns how many there are. */
int wm_tune_field_rules(const struct wm_tune_field *field, struct wm_tune_rule *rules);
/* Leave to native what fewer than `launches` launches have confirmed, and rules of a single size among several. */
void wm_tune_field_settle(struct wm_tune_field *field, int launches);
/* Is any path of ours chosen? */
bool wm_tune_field_named(const struct wm_tune_field *field);
/* The library is another one: what launches have confirmed does not count any more. */
void wm_tune_field_doubt(struct wm_tune_field *field);
/* A power of two between two neighbouring points whose paths differ, the middle one; 0: there is none. */
uint64_t wm_tune_field_gap(const struct wm_tune_field *field);
/* The paths that may serve so many bytes: native, `path`, what 'fast' takes, and what is safe and fast at both
 * neighbouring points, `most` of them. Returns what 'fast' takes, 0 where the neighbours disagree. */
int wm_tune_field_rivals(const struct wm_tune_field *field, uint64_t bytes, int path, int most,
                         bool rivals[WM_TUNE_PATHS_MAX]);
/* The items of `bytes` that a rank pushes in a run; at least one. */
int64_t wm_tune_field_items(const struct wm_tune_field *field, uint64_t bytes);

#endif
