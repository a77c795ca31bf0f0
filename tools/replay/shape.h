/* A shape: all calls of an operation, size and root on a communicator, by one map, and what such a call takes from
 * given arrivals.
 *
 * By plans, it is carried out on the model, once for each pattern of arrivals: patterns are rounded to a fiftieth of
 * what the call takes, and pauses of more than twice that are cut, for in them nothing goes on. After so many patterns
 * that more would take too long, the mean of those that were stands in. `factor` makes the machine of the model as fast
 * as the trace saw it. Left to the library, it takes from what it depends on what it took in the trace.
 *
 * One that does not block has two times a member, its points: between its post and its wait its messages go on, and
 * its steps do not. */
#ifndef WM_REPLAY_SHAPE_H
#define WM_REPLAY_SHAPE_H

#include "tools/predict/call.h"
#include "tools/predict/prediction.h"
#include "tools/replay/calls.h"

enum { WM_REPLAY_RATIOS = 1024 };

enum wm_replay_way {
    WM_REPLAY_KEPT,   /* as in the trace: by the library, then and now, or nobody can know */
    WM_REPLAY_PLANNED /* by plans */
};

struct wm_replay_pattern {
    uint64_t hash;
    int64_t *points;  /* ps from the first one, pauses cut: arrivals by member, then waits */
    int64_t *offsets; /* the end: ps behind … */
    int *bases;       /* … this point */
};

/* How many events shapes may carry out before further patterns have the mean. */
struct wm_replay_budget {
    uint64_t left; /* of those that any may carry out */
    uint64_t part; /* of each, when none are */
};

struct wm_replay_shape {
    enum wm_replay_way way;
    int ranks, points, root, rule_line;
    enum wm_operation operation;
    struct wm_predict_call call;
    struct wm_prediction prediction;
    uint64_t plans_hash; /* equal for equal plans */
    double factor;
    int64_t whole, sum;     /* ps: all begin at once: until the last one ends, and the members' ends summed up */
    double corrected;       /* the factor without the profile's own */
    double measured, found; /* ns, sums of services: in the trace, by the model */
    uint64_t measured_calls;
    size_t ratio_count, ratio_room;
    double *ratios; /* of some calls, what they took over the model's */
    double *drifts; /* ns, sums of noise by member: the model's own error, of calls that are not far off */
    uint64_t drift_calls;
    uint32_t last_call; /* instance */
    int64_t service_ns; /* in the last replay */
    uint64_t averaged, events;
    struct wm_replay_budget *budget;
    size_t pattern_count, pattern_room, slot_count;
    struct wm_replay_pattern *patterns;
    uint32_t *slots; /* hash table: pattern + 1 */
    double *lags;    /* sums over patterns of the end less what it depends on, by member */
    int64_t *posts;  /* ps: what its post keeps a member; NULL: it blocks */
    int64_t *mapped; /* room for one pattern, and ends */
    int64_t *came;   /* the same in ns, before it is rounded */
    int *order;      /* of points, by time */
};

/* When the last rank has come on which the end of a member depends, and it waits. Asked of members 0, 1, … in turn. */
struct wm_replay_dependency {
    const struct wm_replay_times *times;
    enum wm_flow_kind flow;
    bool scans;
    int root;
    int64_t latest; /* of all; in a scan, of those that were asked about */
};

struct wm_replay_dependency wm_replay_depends(enum wm_operation operation, int root, int ranks,
                                              const struct wm_replay_times *times);
int64_t wm_replay_dependency_of(struct wm_replay_dependency *dependency, int member);

/* Make it ready; for a question that the map is asked on a site. 0 or -WM_E…; release it in any case. */
int wm_replay_shape_init(struct wm_replay_shape *shape, const struct wm_site_map *map, const struct wm_site *site,
                         const struct wm_map_question *question, const struct wm_profile *profile,
                         struct wm_replay_budget *budget, struct wm_error *error);
void wm_replay_shape_release(struct wm_replay_shape *shape);

/* When the members leave, who come then: ns, by member. Not of one that is kept. 0 or -WM_E…. */
int wm_replay_shape_run(struct wm_replay_shape *shape, const struct wm_replay_times *times, int64_t *leaves_ns,
                        struct wm_error *error);

#endif
