/* The planner's inside, shared by the files that make it up; wrappers see core/plan/planner.h alone. */
#ifndef WM_PLANNER_STATE_H
#define WM_PLANNER_STATE_H

#include <stddef.h>
#include "core/plan/hazard.h"
#include "core/plan/matrix.h"
#include "core/plan/planner.h"

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

/* Units low … high-1 of the path's order stand at `at`. */
struct wm_piece {
    size_t low, high;
    struct wm_ref at;
};

/* Units that stand in one range. */
struct wm_range {
    struct wm_ref at;
    size_t units;
};

/* Memory that goes with the planner, given away in parts. */
struct wm_plan_chunk {
    struct wm_plan_chunk *next;
    size_t used, room; /* in bytes */
    max_align_t data[];
};

/* The messages to one peer so far, or from it, for each of which there is a step. */
struct wm_pair_messages {
    int peer;
    uint32_t count;         /* 0: the seat is free */
    int newest, tag_holder; /* steps: of the last one, and of the one whose tag the next one is to have */
};

/* Those of all peers that there were, hashed: a rank of many has few. */
struct wm_pairs_met {
    int count, room; /* a power of 2 */
    struct wm_pair_messages *seats;
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
    struct wm_carriage carrier;
    bool holds;  /* inside a `delay` */
    bool spoils; /* inside a `lose` or `flip` */
    int after_count, after_room;
    int *after; /* steps that the next one waits for */

    struct wm_plan *plan;
    int step_room, edge_count, edge_room, temporary_room, shared_room, stride_room, transport_room;
    struct wm_edge *edges;
    int *stamp;    /* stamp[step]: the last step that was made to depend on it */
    int *follower; /* follower[step]: that of the next message to, or from, the same peer */
    struct wm_hazards *hazards;
    struct wm_pairs_met sent, received;
    struct wm_home home; /* of results and partial results */
    int rounds_first;    /* step with which rounds began that may be left out */

    int window, piece_start;
    struct wm_gate outer_gate;
    struct wm_pool pools[WM_PIECES_WINDOW_MAX];
    struct wm_pool *pool;
    int piece_ends[WM_PIECES_WINDOW_MAX];

    /* Holdings, of operations with blocks. */
    const size_t *starts; /* starts[place], NULL: sizes are even, or not known */
    bool in_order;        /* the receive buffer has the blocks of all places one behind the other */
    int piece_count, piece_room, region_count, region_room;
    struct wm_piece *pieces;  /* sorted, disjoint */
    struct wm_piece *regions; /* announced ranges, and the temporaries for them */
    bool *delivered;          /* by place: it stands where it is wanted */

    /* The matrix, of operations with a block for each pair of ranks. */
    const struct wm_matrix *matrix;
    const size_t *receive_starts; /* offsets of the receive blocks, NULL: they are even */
    int range_count, range_room;  /* the parcel that is put together */
    struct wm_range *ranges;
    int note_room;

    struct wm_plan_chunk *chunks;
};

/* Make room for one more element; false, with the error set, when there is no memory. */
bool wm_planner_grow(struct wm_planner *planner, void **array, int count, int *room, size_t element_bytes);

/* Say how a new step's message goes to or from its peer. */
void wm_planner_address(struct wm_planner *planner, struct wm_step *message);

#endif
