/* The calls of a trace, as a replay wants them: by rank in the order in which it made them, and by instance.
 *
 * A call is kept where it blocks and all ranks of its communicator have it on record, whole. All others stay where they
 * were, in the time between calls: that is counted, for it is frozen as it was. */
#ifndef WM_REPLAY_CALLS_H
#define WM_REPLAY_CALLS_H

#include "tracer/reader.h"
#include "waymark/operation.h"

struct wm_replay_call {
    uint32_t communicator, sequence; /* communicator: key */
    uint32_t instance;               /* set last */
    int32_t member, root;
    uint16_t node;
    uint8_t operation;
    uint8_t open; /* enters less leaves; while it is read */
    bool dropped; /* does not block, or is not whole */
    uint64_t bytes;
    int64_t enter_ns, leave_ns;
};

/* One call by all ranks of its communicator. */
struct wm_replay_instance {
    uint32_t communicator;
    size_t first; /* in `members`: its calls by member, as many as the communicator has */
    bool dropped;
};

struct wm_replay_calls {
    struct wm_trace *trace;
    size_t call_count, call_room;
    struct wm_replay_call *calls; /* rank by rank */
    size_t *first;                /* by rank index; [rank_count]: the end */
    size_t instance_count;
    struct wm_replay_instance *instances;
    uint32_t *members; /* calls, by instance and member */
    uint64_t kept;     /* instances that are replayed */
    uint64_t left;     /* calls that are not */
    int64_t left_ns;   /* … what they, waits for them, and statements took, summed over ranks */
    uint64_t lost;     /* records that are not there */
};

/* Read them. 0, or -WM_E… with a sentence; release it in any case. */
int wm_replay_calls_read(struct wm_replay_calls *calls, struct wm_trace *trace, struct wm_error *error);
void wm_replay_calls_release(struct wm_replay_calls *calls);

/* The call of a member. */
static inline const struct wm_replay_call *wm_replay_call_of(const struct wm_replay_calls *calls,
                                                             const struct wm_replay_instance *instance, int member)
{
    return &calls->calls[calls->members[instance->first + (size_t)member]];
}

static inline int wm_replay_size(const struct wm_replay_calls *calls, const struct wm_replay_instance *instance)
{
    return calls->trace->communicators[instance->communicator].size;
}

#endif
