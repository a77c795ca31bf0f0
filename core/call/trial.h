/* Trials: two maps in turns on one communicator (`waymark retune --trial`).
 *
 * A trial begins and ends at meetings (core/call/meeting.h). Meanwhile the communicator has two of what belongs to a
 * map: kin, and the paths and last calls of its cache. The map that held before goes on to hold, for calls that are not
 * blocking, conveyors, and whatever else asks; a blocking call may have the other one (core/call/round.h), and gives it
 * back at its end. So all else of the runtime sees one map, and the same at all ranks.
 *
 * Communicators without world rank 0, which nobody at the mailbox would hear of, and those of one rank have no trials:
 * they take the map that is kept. Hold the communicator's lock. */
#ifndef WM_CALL_TRIAL_H
#define WM_CALL_TRIAL_H

#include "core/call/comm.h"
#include "core/guard/mailbox.h"

/* Blocks have as many calls as last about so long, within bounds; FEW: where most calls are not tried. */
enum {
    WM_TRIAL_CALLS_MIN = 4,
    WM_TRIAL_CALLS_FEW = 16,
    WM_TRIAL_CALLS_MAX = 64,
    WM_TRIAL_BLOCK_NS = 20000000,
    WM_TRIAL_BLOCKS = 4
};
enum { WM_TRIAL_KINDS_MAX = 64 };

/* What belongs to a map. */
struct wm_ruled {
    struct wm_map_source *map;
    struct wm_kin *kin;
    bool serverless;
    struct wm_cached_path *paths;
    int path_count, path_room;
    bool unsettled;
    struct wm_last_call *last[WM_OPERATION_COUNT];
};

/* Calls of one operation and size class: a round of them is under way. */
struct wm_tried_kind {
    enum wm_operation operation;
    int size_class; /* as in struct wm_mailbox_round */
    int rounds;     /* so far; the first one is to warm up */
    int calls;      /* of a block of this round */
    int at;         /* calls of this round so far */
    uint64_t rest;  /* calls that are not measured, before this round begins */
    /* When this rank came to each call, and left it. */
    int64_t came_ns[WM_TRIAL_BLOCKS * WM_TRIAL_CALLS_MAX], left_ns[WM_TRIAL_BLOCKS * WM_TRIAL_CALLS_MAX];
};

struct wm_trial {
    struct wm_ruled other; /* of the map that does not hold now */
    bool turned;           /* the tried map holds now */
    struct wm_trial_scope scope;
    int kind_count;
    struct wm_tried_kind *kinds[WM_TRIAL_KINDS_MAX]; /* in the order of their first calls, as at all ranks */
};

/* Try a map beside the communicator's. */
void wm_trial_begin(struct wm_comm *comm, struct wm_map_source *map, const struct wm_trial_scope *scope);

/* Go on under the tried map, or under that before. */
void wm_trial_end(struct wm_comm *comm, bool keep);

/* The other one of the two holds from now on. */
void wm_trial_turn(struct wm_comm *comm);

/* Another map holds from now on, and there is no trial: the communicator has other kin, on a ground of the same grid.
 * What it has joined with stays. */
void wm_comm_change_map(struct wm_comm *comm, struct wm_map_source *map);

#endif
