/* A plan: what one rank does for one call, as a DAG of small steps. Immutable once made; holds no addresses.
 *
 * Buffers are named: the user's send and receive buffer, and temporaries, which the run allocates. Offsets and counts
 * are in units: an element of the user's datatype, or a byte (bcast). A unit may have zero bytes (barrier). Messages
 * of a pair of ranks are numbered in the order in which both plans list them, so that they meet whatever the
 * order in which the steps become ready. A step runs once all its dependencies have; steps that may not run at once
 * depend on each other, but for reductions into one target under #:order 'arrival, which may come in any order and
 * exclude each other. A step has a due time where its message is held (core/path/lag.h): it is done no sooner, whatever
 * came when. What that time is the plan does not know: the sender tells the receiver. */
#ifndef WM_PLAN_H
#define WM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/path/fault.h"
#include "core/path/lag.h"
#include "core/path/transport.h"

/* X(id, name, reads, writes, help): `reads`: count units at source; `writes`: count units at target. */
/* clang-format off */
#define WM_STEPS(X)                                                                                                     \
    X(SEND,   "send",   true,  false, "count units at source to peer")                                                  \
    X(RECV,   "recv",   false, true,  "count units from peer to target")                                                \
    X(REDUCE, "reduce", true,  true,  "target = source op target, count units")                                         \
    X(COPY,   "copy",   true,  true,  "target = source, count units, which may stand in blocks at even distances")      \
    X(SHARED, "shared", false, false, "a collective of ranks of one node in their shared memory: reads and writes as its record says") \
    X(ENTER,  "enter",  false, false, "a trace wrapper begins; count units")                                            \
    X(LEAVE,  "leave",  false, false, "… and ends")                                                                     \
    X(NATIVE, "native", false, false, "the MPI library's own collective: drawn and counted, never flown")               \
    X(STRIKE, "strike", false, false, "this process is stopped or killed, by a fault of the map")                        \
    X(JOIN,   "join",   false, false, "nothing: waits for its dependencies")
/* clang-format on */

enum wm_step_kind {
#define X(id, name, reads, writes, help) WM_STEP_##id,
    WM_STEPS(X)
#undef X
};

#define X(...) +1
enum { WM_STEP_KIND_COUNT = WM_STEPS(X) };
#undef X

enum { WM_BUFFER_SEND, WM_BUFFER_RECEIVE, WM_BUFFER_TEMPORARY /* and every number above */ };

/* Messages of one pair of ranks in one plan, and how many of them have tags of their own: a message waits for the one
 * WM_MESSAGE_TAGS before it, so that those of one tag come in their order. */
enum { WM_MESSAGE_TAG_BITS = 8, WM_MESSAGE_TAGS = 1 << WM_MESSAGE_TAG_BITS, WM_MESSAGES_MAX = 1 << 20 };

/* A place in a buffer, in units. */
struct wm_ref {
    int buffer;
    size_t offset;
};

struct wm_step {
    uint8_t kind;
    bool traced;       /* lies within a trace wrapper */
    bool spoilt;       /* a message that plan->fault may lose or change */
    uint16_t node;     /* the wrapper that made it */
    uint8_t net;       /* of a message: enum wm_net_kind; the same at both ends */
    uint8_t transport; /* of a message or shared step: in plan->transports */
    int32_t peer;      /* rank, -1: none */
    uint32_t message;  /* number of the message between the two; of a shared step: in plan->shared; of a copy: in
                          plan->strides, from 1 */
    int32_t dependencies;
    int32_t first_successor, successors; /* in plan->successors */
    int32_t held; /* of a message that is due at a time, by plan->lag: its number among those, from 1; 0: it is not */
    struct wm_ref source, target;
    size_t count;
};

/* What a copy takes from blocks at even distances and puts one behind the other: `block` units each, and so many from
 * the beginning of one to that of the next, which is more. Block 0 stands at the source; block `first` is copied
 * first, and block 0 behind the last one. */
struct wm_stride {
    size_t block, distance, first;
};

/* What the members of a shared step do together. Member i gives from[…] and gets into to[…]; share i is counts[i]
 * units; what a member neither gives nor gets has no meaning there. */
/* clang-format off */
#define WM_SHARED_KINDS(X)                                                                                              \
    X(BCAST,          "bcast",          "from[0] of the root to to[0] of the others; counts[0] units")                  \
    X(GATHER,         "gather",         "from[0] of member i to to[i] of the root, but its own")                        \
    X(SCATTER,        "scatter",        "from[i] of the root to to[0] of member i, but its own")                        \
    X(ALLGATHER,      "allgather",      "from[0] of member i to to[i] of all; of itself, if that is another place")      \
    X(ALLTOALL,       "alltoall",       "from[j] of member i to to[i] of member j, but i = j; counts[0] units, all alike") \
    X(REDUCE,         "reduce",         "from[0] of all combined to to[0] of the root; counts[0] units")                \
    X(ALLREDUCE,      "allreduce",      "the same to to[0] of all")                                                     \
    X(REDUCE_SCATTER, "reduce-scatter", "from[i] of all combined to to[0] of member i")                                 \
    X(SCAN,           "scan",           "from[0] of members 0 … i combined to to[0] of member i; counts[0] units")      \
    X(EXSCAN,         "exscan",         "the same without member i's own; member 0 gets nothing")
/* clang-format on */

enum wm_shared_kind {
#define X(id, name, help) WM_SHARED_##id,
    WM_SHARED_KINDS(X)
#undef X
        WM_SHARED_KIND_COUNT
};

/* All members list their common shared steps in the same order; such a step is over at a member when it has given
 * and got, and may begin at one before it does at another. Contributions are combined in the order of members. A
 * reduction may get where it gives from, exactly there. */
struct wm_shared {
    uint8_t kind;
    int size, self, root;      /* root: of bcast, gather, scatter, reduce; else 0 */
    int fan;                   /* how many members are read by one another directly, 0: the runtime's choice */
    const int *members;        /* ranks */
    const struct wm_ref *from; /* [size] */
    const struct wm_ref *to;   /* [size] */
    const size_t *counts;      /* [size], the same at all members; [0] alone means something where all is one block */
};

/* Units of the user's datatype that are larger are not combined in shared memory. */
enum { WM_SHARED_UNIT_BYTES_MAX = 4096 };

const char *wm_shared_name(enum wm_shared_kind kind);
/* Its range number `i`, 0 … size-1, of those that this member gives: where it stands, and its units. False: it gives
 * none of that number, or it has no units. */
bool wm_shared_gives(const struct wm_shared *shared, int i, struct wm_ref *at, size_t *count);
/* The same of those that it gets. */
bool wm_shared_gets(const struct wm_shared *shared, int i, struct wm_ref *at, size_t *count);
/* Of an allgather: its own share is to come to another place than it is given from. */
bool wm_shared_moves_own(const struct wm_shared *shared);
/* Units of the whole block, for traces and tables: of all shares together where members have shares. 0: nothing moves
 * at any member. */
size_t wm_shared_units(const struct wm_shared *shared);
/* A copy in one piece of memory, which begins at `members`; false: there is none. */
bool wm_shared_copy(struct wm_shared *to, const struct wm_shared *from);
void wm_shared_release(struct wm_shared *shared);

/* A block between two other ranks that passes through this one, and where it stands from its arrival until landing. It
 * may pass twice. */
struct wm_note {
    int origin, destination;
    struct wm_ref at;
};

/* Rounds that a plan leaves out, where the call allows it: between those behind step `first` and step `last`, and like
 * them but for where data stands. */
struct wm_gap {
    int first, last;
    int rounds;
};
enum { WM_GAPS_MAX = 4 };

struct wm_plan {
    int step_count;
    struct wm_step *steps;
    int *successors;
    int temporary_count;
    size_t *temporary_units; /* size of each temporary */
    int root_count;
    int *roots;        /* steps without dependencies, sends first, then receives */
    int message_steps; /* sends and receives: how many may be under way */
    int held_messages; /* of those; 0: `lag` means nothing */
    struct wm_lag lag;
    struct wm_fault fault; /* of kind WM_FAULT_NONE: none */
    int note_count;
    struct wm_note *notes; /* if the call asked for them */
    int shared_count;
    struct wm_shared *shared; /* each in one piece of memory with its arrays, which begins at `members` */
    int stride_count;
    struct wm_stride *strides;
    int transport_count;
    struct wm_transport *transports; /* the first is all zero */
    int gap_count;                   /* 0: it is whole */
    struct wm_gap gaps[WM_GAPS_MAX];
};

const char *wm_step_name(enum wm_step_kind kind);
/* Of the step's own source and target. */
bool wm_step_reads(enum wm_step_kind kind);
bool wm_step_writes(enum wm_step_kind kind);
/* How the step's source is cut into blocks; where it is one range, that is one block of all its units. */
struct wm_stride wm_plan_stride(const struct wm_plan *plan, const struct wm_step *step);
/* How far behind the source's place the block is that comes to stand `done` units behind the target's. */
static inline size_t wm_stride_at(struct wm_stride stride, size_t count, size_t done)
{
    return (done / stride.block + stride.first) % (count / stride.block) * stride.distance;
}
/* Units from the first of the source up to behind the last one. */
size_t wm_plan_extent(const struct wm_plan *plan, const struct wm_step *step);
void wm_plan_free(struct wm_plan *plan);

#endif
