/* The program's own messages among the calls of a trace: read, and each send put together with its receive.
 *
 * They match as MPI says: of one communicator, sender, receiver and tag in the order of their posts, from the front,
 * or, where a ring came round, from the back. A receive of anybody's has the sender that its end was told. A probe's
 * time is that of the receive behind it. */
#ifndef WM_REPLAY_MESSAGES_H
#define WM_REPLAY_MESSAGES_H

#include "tools/replay/calls.h"

enum { WM_REPLAY_LOOK_BACK = 16 /* collective calls that a rank may have under way at once */ };

/* A rank's records are read. */
struct wm_replay_reading {
    struct wm_replay_calls *calls;
    struct wm_trace_rank *rank;
    int index;
    int *member_of; /* by communicator: this rank's, -1 */
    size_t collectives;
    uint32_t late[WM_REPLAY_LOOK_BACK]; /* the last of them */
    uint32_t *posted;                   /* messages, by low bits of their numbers: call + 1 */
    bool probed;
    int64_t probe_ns; /* the probe before this record began then */
};

/* Add a call, and its first event; a further event of it. 0 or -WM_ENOMEM. In calls.c. */
int wm_replay_calls_add(struct wm_replay_reading *reading, const struct wm_replay_call *call);
int wm_replay_calls_add_event(struct wm_replay_calls *calls, uint32_t event);
/* A length of time in ticks that can be, or 0. */
int64_t wm_replay_length(const struct wm_trace_rank *rank, uint64_t ticks);

/* Begin and end the messages of a rank; take a record of one. 0 or -WM_ENOMEM. */
int wm_replay_messages_begin(struct wm_replay_reading *reading);
int wm_replay_messages_take(struct wm_replay_reading *reading, const struct wm_trace_record *record, uint32_t key);
void wm_replay_messages_end(struct wm_replay_reading *reading);

/* Add an instance for each message whose two ends are there, its members behind the first `taken`. 0 or -WM_ENOMEM. */
int wm_replay_messages_match(struct wm_replay_calls *calls, size_t taken);

#endif
