/* The planner's inside, shared by the files that make it up; wrappers see core/planner.h alone. */
#ifndef WM_PLANNER_STATE_H
#define WM_PLANNER_STATE_H

#include <stddef.h>
#include "core/hazard.h"
#include "core/planner.h"

enum { WM_PIECES_WINDOW_MAX = 64, WM_ARRIVALS_MIN = 2, WM_ARRIVALS_MAX = 64, WM_ARRIVALS_BYTES = 1 << 20 };

struct wm_edge {
    int from, to;
};

/* Temporaries of one piece: the next piece on the same slot takes them in the same order. */
struct wm_pool {
    int count, room, next;
    int *buffers;
    int arrivals[WM_ARRIVALS_MAX], arrival_count, arrival_next;
};

/* Memory that goes with the planner. */
struct wm_chunk {
    struct wm_chunk *next;
    max_align_t data[];
};

struct wm_planner {
    const struct wm_path *path;
    const struct wm_layout *layout;
    const struct wm_plan_call *call;
    int rank;
    struct wm_error *error;
    int status;   /* 0, or the first error */
    int position; /* index of the wrapper at work, -1 before the first */
    struct wm_flow flow;
    int trace_depth;
    struct wm_gate gate;

    struct wm_plan *plan;
    int step_room, edge_count, edge_room, temporary_room;
    struct wm_edge *edges;
    int *stamp; /* stamp[step]: the last step that was made to depend on it */
    struct wm_hazards *hazards;
    uint32_t *sent, *received; /* messages so far, by peer */
    int home;                  /* buffer of partial results, -1 until needed */

    int window, piece_start;
    struct wm_gate outer_gate;
    struct wm_pool pools[WM_PIECES_WINDOW_MAX];
    struct wm_pool *pool;
    int piece_ends[WM_PIECES_WINDOW_MAX];

    struct wm_chunk *chunks;
};

/* Turn the steps and edges into a plan's arrays. */
void wm_planner_finish(struct wm_planner *planner);

#endif
