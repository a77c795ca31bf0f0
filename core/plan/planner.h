/* The planner: what a wrapper sees while it adds its steps to a plan.
 *
 * A wrapper's `plan` is called with the planner standing at it; it adds steps, calls wm_planner_next for the rest of
 * the path (or not, where this rank does not go on), and adds more. Errors stick: after one, nothing is added, and
 * wm_plan_make returns it; wrappers need not check. Dependencies between steps are found from what they read and write
 * (core/plan/hazard.h). Both ends of a message must list it in the same order among the messages of their pair.
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
#include "core/path/layout.h"
#include "core/path/path.h"
#include "core/plan/plan.h"

/* Blocks of a buffer, in units: of each rank, or of each neighbour. */
struct wm_blocks {
    int count;             /* 0: there are none here */
    size_t each;           /* block i has `each` units and stands at i × each, unless: */
    const size_t *counts;  /* counts[i] units, NULL: each */
    const size_t *offsets; /* at offsets[i], NULL: one behind the other */
};

/* The neighbours of this rank in the communicator's topology, in MPI's order; -1 for MPI_PROC_NULL. */
struct wm_neighbours {
    bool cartesian; /* in pairs: the one before and the one behind in each dimension */
    int source_count, destination_count;
    const int *sources, *destinations;
};

/* What a plan depends on, beside path, layout and rank. */
struct wm_plan_call {
    enum wm_operation operation;
    size_t count;      /* units of this rank's contribution where data is whole, else unused */
    size_t unit_bytes; /* 0 for barrier, whose count is 1 */
    int root;
    bool in_place; /* this rank's contribution stands in the receive buffer */
    bool commutative;
    bool traced;      /* marks are wanted */
    bool noted;       /* of an alltoall, the plan shall note which blocks pass through this rank */
    bool shared;      /* shared steps may be planned; the same at all ranks */
    int rounds_max;   /* of rounds that are alike, plan no more: such a plan is never flown. 0: all */
    size_t steps_max; /* no plan has more: -WM_ENOMEM. 0: any number */
    /* Where the blocks of the two buffers stand; a buffer that means nothing at this rank has none. One block:
     * the contribution to a gather or allgather, the result of a scatter or reduce_scatter. With in_place, `send` of an
     * alltoall has none. */
    struct wm_blocks send, receive;
    /* Sizes of every rank's block, as far as this rank knows them (count is 0 if not); pairs: sizes of relayed blocks.
     * Offsets are NULL, or tell the sums of the sizes before each, and behind them that of all: many ranks share it. */
    struct wm_blocks data;
    const struct wm_pair_sizes *pairs;      /* alltoallv and w: sizes of blocks that pass through, NULL: not known */
    const struct wm_neighbours *neighbours; /* neighbor-…, else NULL; belongs to the communicator */
};

/* Sizes of blocks between other ranks, sorted by origin, then destination; a block that is not listed has `each` units.
 * In one piece of memory: `sizes` stands behind the rest. */
struct wm_pair_size {
    int origin, destination;
    size_t count;
};
struct wm_pair_sizes {
    size_t count;
    struct wm_pair_size *sizes;
    size_t each;
};

/* Where block `block` of a buffer stands, and its units. */
size_t wm_blocks_count(const struct wm_blocks *blocks, int block);
size_t wm_blocks_offset(const struct wm_blocks *blocks, int block);
/* Units of all blocks together. */
size_t wm_blocks_total(const struct wm_blocks *blocks);

/* Plan calls as keys: a copy owns its vectors, but for `neighbours`. Copying returns 0 or -WM_ENOMEM. */
bool wm_plan_call_equal(const struct wm_plan_call *a, const struct wm_plan_call *b);
uint64_t wm_plan_call_hash(const struct wm_plan_call *call);
int wm_plan_call_copy(struct wm_plan_call *to, const struct wm_plan_call *from);
void wm_plan_call_release(struct wm_plan_call *call);

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

/* Units of a flow that some members own. */
struct wm_share {
    size_t delta, count; /* from the flow's offset; their sum is right also where delta alone wraps around */
};

/* The group of this rank at a stage. `self` is -1 where the rank takes no part; then only `size` (0) is meaningful.
 * `self` and `leader`, the member that goes on, has, or receives the data, are indices into `members`; `live` as in
 * core/path/layout.h. */
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

/* The buffer of home (-1: until it is needed, none), and the offset for which it begins. */
struct wm_home {
    int buffer;
    size_t first;
};

/* What carries messages: enum wm_net_choice, and the index of the parameters among the plan's. */
struct wm_carriage {
    uint8_t net, transport;
};

struct wm_planner;

/* Make the plan of `rank`. 0, -WM_ENOMEM, -WM_EPATH. Pure: equal arguments give equal plans. */
int wm_plan_make(struct wm_plan **plan, const struct wm_path *path, const struct wm_layout *layout,
                 const struct wm_plan_call *call, int rank, struct wm_error *error);

/* Let the wrappers after this one add their steps. */
void wm_planner_next(struct wm_planner *planner);

const struct wm_plan_call *wm_planner_call(const struct wm_planner *planner);
int wm_planner_rank(const struct wm_planner *planner);
/* How many there are. */
int wm_planner_ranks(const struct wm_planner *planner);
struct wm_flow *wm_planner_flow(struct wm_planner *planner);
struct wm_group wm_planner_group(struct wm_planner *planner, const struct wm_wrapper *stage);
/* Whose contributions member `member` holds on entering the stage; NULL when the operator commutes. */
const struct wm_rank_set *wm_planner_set(const struct wm_planner *planner, const struct wm_group *group, int member);
/* An empty set of ranks, living as long as the planner; NULL when the operator commutes. */
struct wm_rank_set *wm_planner_set_new(struct wm_planner *planner);
/* Put what members low … high - 1 hold into the set, which may be NULL. */
void wm_planner_set_add(struct wm_planner *planner, struct wm_rank_set *set, const struct wm_group *group, int low,
                        int high);

/* The first stage where this rank and `peer`, or those who lead them there, are of one group. */
int wm_planner_meeting(const struct wm_planner *planner, int peer);

/* No stage comes after this one. */
bool wm_planner_is_last_stage(const struct wm_planner *planner, const struct wm_wrapper *stage);
/* This rank ends with the result: everyone but in reduce, there the root. */
bool wm_planner_wants_result(const struct wm_planner *planner);
/* Once the wrappers after this one are done, this rank holds the whole group's result for its block. */
bool wm_planner_holds_result(struct wm_planner *planner);
/* `offset` of the block's place at home. */
struct wm_ref wm_planner_home(struct wm_planner *planner, size_t offset);
/* A home apart for the wrappers after this one: a temporary for the flow's block, where they do not disturb what this
 * one keeps at home. Returns the former home, which is to be given back. */
struct wm_home wm_planner_home_apart(struct wm_planner *planner);
void wm_planner_home_back(struct wm_planner *planner, struct wm_home former);
/* A temporary of `units`, for this piece of a segment. */
struct wm_ref wm_planner_temporary(struct wm_planner *planner, size_t units);
/* A temporary for a message that is combined as soon as it is here: a few are used in turn, so that a member with many
 * children holds a bounded number of their messages. */
struct wm_ref wm_planner_arrival(struct wm_planner *planner, size_t units);
/* Give a range of finished data to a peer, and take one: from and to where it stands at this rank, which is home where
 * data is whole, and what core/plan/holdings.h says where ranks have blocks. Return the number of the message's step,
 * or -1.
 */
int wm_planner_give(struct wm_planner *planner, int peer, size_t offset, size_t count);
int wm_planner_take(struct wm_planner *planner, int peer, size_t offset, size_t count);
/* The places alone, for a shared step that comes next: ask for all that it gives before what it takes. */
struct wm_ref wm_planner_given(struct wm_planner *planner, size_t offset, size_t count);
struct wm_ref wm_planner_taken(struct wm_planner *planner, size_t offset, size_t count);
/* The same of a range that is given: where it shall stand in the end, if the step can bring it there, else where it
 * stands. */
struct wm_ref wm_planner_settled(struct wm_planner *planner, size_t offset, size_t count);
/* The target of a stage's reduction: home; or, where ranks have blocks, the final receive block, if this is the last
 * stage and no contribution overlaps that block. */
struct wm_ref wm_planner_combined(struct wm_planner *planner, const struct wm_group *group, size_t offset,
                                  size_t count);
/* Where ranks have blocks: the flow's value, combined, is finished data from now on. */
void wm_planner_hold(struct wm_planner *planner);
/* What comes of a range will be given away together. */
void wm_planner_unite(struct wm_planner *planner, size_t offset, size_t count);
/* Where ranks have blocks: the sizes of all of them are known here. They are not at a rank that does nothing but give
 * its own block to the root, or take it from there, unless core/call/sizes.h told it. */
bool wm_planner_sizes_known(const struct wm_planner *planner);

/* Begin round `round` of `rounds`, all but the last of which are alike, each with what the one before has brought.
 * True: it is to be left out of the plan, and the next one that is not does with what the last one brought. */
bool wm_planner_omits(struct wm_planner *planner, int round, int rounds);

/* What members low … high-1 own of the group's data: even shares, or, where ranks have blocks, those of the ranks that
 * the members stand for. `flow` is the group's data. */
struct wm_share wm_planner_share(const struct wm_planner *planner, const struct wm_group *group,
                                 const struct wm_flow *flow, int low, int high);
/* Where ranks have blocks: the range of all blocks that the group's members stand for, without a value. */
struct wm_flow wm_planner_group_range(const struct wm_planner *planner, const struct wm_group *group);

/* Memory that lives as long as the planner; NULL after an error. */
void *wm_planner_allocate(struct wm_planner *planner, size_t bytes);

/* Steps. Messages of 0 units are not sent; -1 is then returned for the number of the step. */
int wm_planner_send(struct wm_planner *planner, int peer, struct wm_ref source, size_t count);
int wm_planner_recv(struct wm_planner *planner, int peer, struct wm_ref target, size_t count);
/* target = source op target; `ordered`: not to be exchanged with other reductions into the target. */
void wm_planner_reduce(struct wm_planner *planner, struct wm_ref source, struct wm_ref target, size_t count,
                       bool ordered);
void wm_planner_copy(struct wm_planner *planner, struct wm_ref source, struct wm_ref target, size_t count);
/* The same of blocks: `count` units of all of them. Block 0 stands at `source`, whichever is copied first. */
void wm_planner_copy_blocks(struct wm_planner *planner, struct wm_ref source, struct wm_stride stride,
                            struct wm_ref target, size_t count);
/* What is asked for next waits for `step` too (-1: for none), whatever the two touch: rounds that shall not overlap,
 * and windows. May be said of several steps; a message of 0 units takes it with it. */
void wm_planner_after(struct wm_planner *planner, int step);
/* A collective of the members of a group in the memory of their node: `shared` as in core/plan/plan.h, copied. All
 * members must call it alike and in one order. Returns its number; -1: a group of one, or no units at any member. */
int wm_planner_shared(struct wm_planner *planner, const struct wm_shared *shared);
/* May the group have shared steps here? Not if the runtime forbids them, nor inside (remote 'mpi), nor inside a `delay`
 * whose axis the group crosses, nor inside a fault of messages. Equal at all its members. */
bool wm_planner_may_share(const struct wm_planner *planner, const struct wm_group *group);
/* Messages that cross the axis of `delay` are held from now on; NULL: no longer. */
void wm_planner_hold_messages(struct wm_planner *planner, const struct wm_wrapper *delay);
/* Messages from now on may be hit by the fault; NULL: no longer. */
void wm_planner_spoil_messages(struct wm_planner *planner, const struct wm_fault *fault);
/* If it is this rank's fault: it stops or dies before whatever is added from now on. */
void wm_planner_strike(struct wm_planner *planner, const struct wm_fault *fault);
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

/* Let messages go as `net` says, and they and shared steps by the parameters `transport`, until the
 * former carrier, which is returned, is given back. */
struct wm_carriage wm_planner_carry(struct wm_planner *planner, enum wm_net_choice net,
                                    const struct wm_transport *transport);
void wm_planner_carry_back(struct wm_planner *planner, struct wm_carriage former);

/* Fail with a sentence, placed at the wrapper that is at work. */
void wm_planner_fail(struct wm_planner *planner, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
