/* The planner: what a wrapper sees while it adds its steps to a plan.
 *
 * A wrapper's `plan` is called with the planner standing at it; it adds steps, calls wm_planner_next for the rest of
 * the path (or not, where this rank does not go on), and adds more. Errors stick: after one, nothing is added, and
 * wm_plan_make returns it; wrappers need not check. Dependencies between steps are found from what they read and write
 * (core/hazard.h). Both ends of a message must list it in the same order among the messages of their pair.
 *
 * The flow is what the rank holds at this place of the path: the block of the collective's data that it stands for
 * (offset and count, in units), and its value: where its contribution to the block is. A value is one or more runs;
 * with a commutative operator, or none, always one. With a non-commutative one a run is the combination of neighbouring
 * ranks' contributions, runs are kept in rank order, and only neighbours are combined: so the result is in rank
 * order whatever the tree, the placement and the order of arrival.
 * Results and partial results come to stand at "home": the receive buffer, or, at a rank that has none, a temporary of
 * the same size, with the same offsets. */
#ifndef WM_PLANNER_H
#define WM_PLANNER_H

#include <stdint.h>
#include "core/layout.h"
#include "core/path.h"
#include "core/plan.h"

/* What a plan depends on, beside path, layout and rank. */
struct wm_plan_call {
    enum wm_operation operation;
    size_t count;      /* units */
    size_t unit_bytes; /* 0 for barrier, whose count is 1 */
    int root;
    bool in_place; /* this rank's contribution stands in the receive buffer */
    bool commutative;
    bool traced; /* marks are wanted */
};

/* Contributions of the ranks low … high (both included), combined; `at` is where the block's first unit stands. */
struct wm_run {
    int low, high;
    struct wm_ref at;
};

struct wm_value {
    int run_count;
    struct wm_run *runs; /* live as long as the planner */
};

struct wm_flow {
    size_t offset, count;
    struct wm_value value;
};

/* The group of this rank at a stage. `self` is -1 where the rank takes no part; then only `size` (0) is meaningful. */
struct wm_group {
    int size, self, leader;
    const int *members; /* ranks, in the order of coordinates */
    bool live;
    const struct wm_stage_layout *stage;
};

/* Steps added from number `start` on wait for `step` (-1: for none), unless they wait for a later one anyway. */
struct wm_gate {
    int step, start;
};

/* What wm_planner_leave needs of its enter; the step is -1 when nothing is traced. */
struct wm_mark {
    int step;
    struct wm_gate outer;
};

struct wm_planner;

/* Make the plan of `rank`. 0, -WM_ENOMEM, -WM_EPATH. Pure: equal arguments give equal plans. */
int wm_plan_make(struct wm_plan **plan, const struct wm_path *path, const struct wm_layout *layout,
                 const struct wm_plan_call *call, int rank, struct wm_error *error);

/* Let the wrappers after this one add their steps. */
void wm_planner_next(struct wm_planner *planner);

const struct wm_plan_call *wm_planner_call(const struct wm_planner *planner);
struct wm_flow *wm_planner_flow(struct wm_planner *planner);
struct wm_group wm_planner_group(struct wm_planner *planner, const struct wm_wrapper *stage);
/* Whose contributions member `member` holds on entering the stage; NULL when the operator commutes. */
const uint64_t *wm_planner_set(const struct wm_planner *planner, const struct wm_group *group, int member);
/* An empty set of ranks, living as long as the planner; NULL when the operator commutes. */
uint64_t *wm_planner_set_new(struct wm_planner *planner);
void wm_planner_set_unite(const struct wm_planner *planner, uint64_t *set, const uint64_t *other);

/* No stage comes after this one. */
bool wm_planner_is_last_stage(const struct wm_planner *planner, const struct wm_wrapper *stage);
/* This rank ends with the result: everyone but in reduce, there the root. */
bool wm_planner_wants_result(const struct wm_planner *planner);
/* Once the wrappers after this one are done, this rank holds the whole group's result for its block. */
bool wm_planner_holds_result(struct wm_planner *planner);
/* `offset` of the block's place at home. */
struct wm_ref wm_planner_home(struct wm_planner *planner, size_t offset);
/* A temporary of `units`, for this piece of a segment. */
struct wm_ref wm_planner_temporary(struct wm_planner *planner, size_t units);
/* A temporary for a message that is combined as soon as it is here: a few are used in turn, so that a member with many
 * children holds a bounded number of their messages. */
struct wm_ref wm_planner_arrival(struct wm_planner *planner, size_t units);
/* Memory that lives as long as the planner; NULL after an error. */
void *wm_planner_allocate(struct wm_planner *planner, size_t bytes);

/* Steps. Messages of 0 units are not sent. */
void wm_planner_send(struct wm_planner *planner, int peer, struct wm_ref source, size_t count);
void wm_planner_recv(struct wm_planner *planner, int peer, struct wm_ref target, size_t count);
/* target = source op target; `ordered`: not to be exchanged with other reductions into the target. */
void wm_planner_reduce(struct wm_planner *planner, struct wm_ref source, struct wm_ref target, size_t count,
                       bool ordered);
void wm_planner_copy(struct wm_planner *planner, struct wm_ref source, struct wm_ref target, size_t count);
/* The MPI library's own collective. */
void wm_planner_native(struct wm_planner *planner);

/* Marks and gates. A mark is a step that everything added until wm_planner_leave waits for; the leave waits for all
 * of that. A piece (segment) waits for the piece `window` before it, and shares its temporaries. */
struct wm_mark wm_planner_enter(struct wm_planner *planner);
void wm_planner_leave(struct wm_planner *planner, struct wm_mark mark);
void wm_planner_pieces_begin(struct wm_planner *planner, int window);
void wm_planner_piece_begin(struct wm_planner *planner, int piece);
void wm_planner_piece_end(struct wm_planner *planner, int piece);
void wm_planner_pieces_end(struct wm_planner *planner);

/* Fail with a sentence, placed at the wrapper that is at work. */
void wm_planner_fail(struct wm_planner *planner, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
