/* A snapshot: what all ranks of a live job do at one instant, who waits for whom, and who is stuck.
 *
 * A rank that is in a call awaits, as far as its trace tells: the senders of receives that are posted and not done;
 * else the ranks that have not come to the call (in a rooted call that gives out data, the root alone); else the
 * receivers of sends that are not done. Before all these, ranks that are in another call of the same number. It is
 * stuck when its trace has not moved for `stuck_ns` while it is in a call. The culprit is found by following the
 * awaited ranks until one awaits nobody. */
#ifndef WM_TOP_SNAPSHOT_H
#define WM_TOP_SNAPSHOT_H

#include "tracer/live.h"

enum { WM_AWAITED_MAX = 8 };

enum wm_top_state {
    WM_TOP_STARTING,  /* the file is there and not begun */
    WM_TOP_COMPUTING, /* in no traced call */
    WM_TOP_INSIDE,
    WM_TOP_CONVEYOR, /* in no call, and a conveyor is at work */
    WM_TOP_REGION,   /* in no call, and in a region of a superblock, or waiting for one */
    WM_TOP_OFF,      /* recording is switched off */
    WM_TOP_CLOSED
};

enum wm_await { WM_AWAIT_NOBODY, WM_AWAIT_MATCH, WM_AWAIT_MESSAGE, WM_AWAIT_ABSENT, WM_AWAIT_RECEIVER, WM_AWAIT_MAP };

struct wm_top_row {
    const struct wm_live_rank *rank;
    const struct wm_trace_rank *definition;
    enum wm_top_state state;
    bool gone;                       /* the process is no more */
    const struct wm_live_call *call; /* INSIDE: the one that was begun last */
    uint32_t communicator;           /* its key, or WM_TRACE_NO_COMMUNICATOR */
    int64_t since_ns, silent_ns;     /* in this state; without a sign of the program */
    enum wm_await await;
    const struct wm_live_edge *edge; /* the message that is missing, or not taken */
    int awaited_count, awaited_more;
    int awaited[WM_AWAITED_MAX]; /* world ranks, ascending */
    int culprit;                 /* where the chain of waits ends; -1: nowhere, or in a circle */
    bool stuck;
    double share; /* of the time since the last snapshot (at first: of all that is seen), in calls */
    double rate;  /* calls a second in that time */
};

/* What was counted at the last snapshot, by rank. */
struct wm_top_past {
    int rank;
    uint64_t ticks, ended;
    int64_t inside_ns;
};

struct wm_snapshot {
    const struct wm_live *live;
    int64_t stuck_ns;
    int count; /* rows: by rank, without stale ones */
    size_t row_capacity;
    struct wm_top_row *rows;
    int inside_count, computing_count, over_count, gone_count, stuck_count;
    size_t past_count, past_capacity;
    struct wm_top_past *past;
};

/* Zero it first; the rows are made anew from what `live` knows after a poll. 0 or -WM_ENOMEM. */
int wm_snapshot_make(struct wm_snapshot *snapshot, const struct wm_live *live, int64_t stuck_ns);
void wm_snapshot_release(struct wm_snapshot *snapshot);
/* The row of a rank, or NULL. */
const struct wm_top_row *wm_snapshot_find(const struct wm_snapshot *snapshot, int rank);
/* Has this row's rank come to the call that `row` is in? False too where nothing is known. */
bool wm_snapshot_is_absent(const struct wm_snapshot *snapshot, const struct wm_top_row *row,
                           const struct wm_top_row *other);

#endif
