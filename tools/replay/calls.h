/* The calls of a trace, as a replay wants them: by rank in the order in which it made them, and by instance.
 *
 * A message of the program is a call of two members, its sender and its receiver, that does not block: a bcast of the
 * former. A call that blocks posts and waits at once. Who sends what the library takes at once waits for nothing; its
 * time is its rank's own.
 *
 * A call is kept where all ranks of its communicator have it on record, whole; one that does not block, with the wait
 * for it. All others stay where they were, in the time between calls: that is counted, for it is frozen as it was.
 *
 * What a rank did is a row of events: a call that blocks is one, from its enter to its leave; of others the post is
 * one, at its enter, and the wait, which ends with its leave. */
#ifndef WM_REPLAY_CALLS_H
#define WM_REPLAY_CALLS_H

#include "tools/text/share_line.h"
#include "tracer/reader.h"
#include "waymark/operation.h"

/* Passes over all calls: they are read; carried out, compared three times and carried out with what was found; carried
 * out under the other map. */
enum { WM_REPLAY_PASSES = 7 };

struct wm_replay_call {
    uint32_t communicator, sequence; /* communicator: key */
    uint32_t instance;               /* set last */
    int32_t rank;                    /* index */
    int32_t member, root;            /* of a message: 0 the sender, 1 the receiver */
    int32_t peer, tag;               /* of a message: the member at the other end; sequence: its number */
    uint16_t node;                   /* of a message: WM_TRACE_P2P_… */
    uint8_t operation;               /* of a message WM_BCAST */
    uint8_t open;                    /* enters less leaves; while it is read */
    int32_t noise_ns;                /* when it left, less when the model lets it leave (factors.h) */
    bool dropped;                    /* not whole, or nobody waited for it */
    bool posted;                     /* it does not block */
    bool waited;                     /* … and the wait for it is on record */
    bool follows;                    /* its wait begins where the wait before ends: both are one, as MPI_Waitall's */
    bool message;
    bool unseen; /* of a message: nobody knows when it ended, as nobody waited, or for another one longer */
    uint64_t bytes;
    int64_t enter_ns, wait_ns, leave_ns; /* wait: of one that does not block, when the wait for it began */
    int64_t row_ns;                      /* … when the first wait of those began that it follows */
};

/* One call by all ranks of its communicator. */
struct wm_replay_instance {
    uint32_t communicator;
    size_t first; /* in `members`: its calls by member, as many as the communicator has */
    bool dropped, posted, message;
    uint32_t alike; /* the next one of its kind, whose noise it takes; its own number: none is known */
};

/* When the members came to an instance, ns: by member. */
struct wm_replay_times {
    int64_t *arrivals;
    int64_t *waits; /* when they began to wait for it; NULL: it blocks */
};

struct wm_replay_calls {
    struct wm_trace *trace;
    struct wm_share_line line; /* how much of the replay is done: of its passes, each over all calls */
    uint64_t passed, records;  /* read, of so many */
    size_t call_count, call_room, calls_max;
    struct wm_replay_call *calls; /* rank by rank */
    size_t event_count, event_room;
    uint32_t *events; /* rank by rank: 2 * call, and 1 more for the wait for it */
    size_t *first;    /* event, by rank index; [rank_count]: the end */
    size_t instance_count;
    struct wm_replay_instance *instances;
    uint32_t *members; /* calls, by instance and member */
    uint64_t kept;     /* instances that are replayed */
    uint64_t left;     /* calls that are not */
    int64_t left_ns;   /* … what they, waits for them, and statements took, summed over ranks */
    uint64_t lost;     /* records that are not there */
    bool has_messages; /* the trace has the program's own */
    uint64_t messages; /* that are replayed */
    uint64_t apart;    /* ends of messages that are not: the other is not there, or not known */
    int64_t apart_ns;  /* … what was waited for them, summed over ranks */
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

/* Since when its rank is in it, or waits for it. */
static inline int64_t wm_replay_blocked_ns(const struct wm_replay_call *call)
{
    return call->waited ? call->wait_ns : call->enter_ns;
}

static inline int wm_replay_size(const struct wm_replay_calls *calls, const struct wm_replay_instance *instance)
{
    return instance->message ? 2 : calls->trace->communicators[instance->communicator].size;
}

/* As the trace has it, into `room` for two times a member. */
struct wm_replay_times wm_replay_traced(const struct wm_replay_calls *calls, size_t instance, int64_t *room);

#endif
