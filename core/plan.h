/* A plan: what one rank does for one call, as a DAG of small steps. Immutable once made; holds no addresses.
 *
 * Buffers are named: the user's send and receive buffer, and temporaries, which the run allocates. Offsets and counts
 * are in units: an element of the user's datatype, or a byte (bcast). A unit may have zero bytes (barrier). Messages
 * of a pair of ranks are numbered in the order in which both plans list them, so that they meet whatever the
 * order in which the steps become ready. A step runs once all its dependencies have; steps that may not run at once
 * depend on each other, but for reductions into one target, which may come in any order and exclude each other. */
#ifndef WM_PLAN_H
#define WM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define WM_STEPS(X)                                                                     \
    X(SEND,   "send",   "count units at source to peer")                                \
    X(RECV,   "recv",   "count units from peer to target")                              \
    X(REDUCE, "reduce", "target = source op target, count units")                       \
    X(COPY,   "copy",   "target = source, count units")                                 \
    X(ENTER,  "enter",  "a trace wrapper begins; count units")                          \
    X(LEAVE,  "leave",  "… and ends")                                                   \
    X(NATIVE, "native", "the MPI library's own collective: drawn and counted, never flown") \
    X(JOIN,   "join",   "nothing: waits for its dependencies")
/* clang-format on */

enum wm_step_kind {
#define X(id, name, help) WM_STEP_##id,
    WM_STEPS(X)
#undef X
        WM_STEP_KIND_COUNT
};

enum { WM_BUFFER_SEND, WM_BUFFER_RECEIVE, WM_BUFFER_TEMPORARY /* and every number above */ };

/* Messages of one pair of ranks in one plan. */
enum { WM_MESSAGE_BITS = 20, WM_MESSAGES_MAX = 1 << WM_MESSAGE_BITS };

/* A place in a buffer, in units. */
struct wm_ref {
    int buffer;
    size_t offset;
};

struct wm_step {
    uint8_t kind;
    bool traced;      /* lies within a trace wrapper */
    uint16_t node;    /* the wrapper that made it */
    int32_t peer;     /* rank, -1: none */
    uint32_t message; /* number of the message between the two */
    int32_t dependencies;
    int32_t first_successor, successors; /* in plan->successors */
    struct wm_ref source, target;
    size_t count;
};

/* A block between two other ranks that passes through this one, and where it stands from its arrival until landing. It
 * may pass twice. */
struct wm_note {
    int origin, destination;
    struct wm_ref at;
};

struct wm_plan {
    int step_count;
    struct wm_step *steps;
    int *successors;
    int temporary_count;
    size_t *temporary_units; /* size of each temporary */
    int root_count;
    int *roots;        /* steps without dependencies, sends first, then receives */
    int message_steps; /* sends and receives: how many may be under way */
    int note_count;
    struct wm_note *notes; /* if the call asked for them */
};

const char *wm_step_name(enum wm_step_kind kind);
void wm_plan_free(struct wm_plan *plan);

#endif
