/* A running job, seen through its trace files: what each rank is doing now. Works alike on a job that was killed.
 *
 * Files are mapped, and followed record by record while the ranks write on; ranks whose files appear later, or are made
 * anew by another run, are taken in. A record is copied first and believed only if the head says afterwards that it
 * cannot have been overwritten meanwhile, as with a seqlock: torn records are never seen. Who falls behind the ring by
 * more than it holds, or by more than WM_LIVE_BACKLOG, starts again behind the gap: `gaps` counts that, calls that were
 * open are forgotten, and the number of calls is a lower bound.
 *
 * Times are ticks of a rank's own clock. `now_ticks` is the instant of the last poll where the rank lives on this
 * machine; of another machine, or a dead job, the newest record of its ranks, plus what has passed here since it was
 * first seen. One thread. */
#ifndef WM_LIVE_H
#define WM_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "core/error.h"
#include "tracer/reader.h"
#include "tracer/tracer.h"

enum {
    WM_LIVE_CALLS = 8,
    WM_LIVE_EDGES = 16,
    WM_LIVE_SUPERBLOCKS = 8,
    WM_LIVE_BACKLOG = 1 << 16,
    /* The oldest records of a full ring that are not believed. One is being overwritten; more, since a processor may
     * show the next stores before that of the head. */
    WM_LIVE_MARGIN = 16
};

/* A message that is posted and not done. */
struct wm_live_edge {
    bool receive;
    int32_t peer; /* rank in the communicator */
    uint32_t number;
    uint16_t node; /* the stage */
    uint64_t bytes, since_ticks;
};

/* A call that is open. A nonblocking one is so until it is complete, whatever the program does meanwhile. */
struct wm_live_call {
    uint32_t communicator, sequence; /* communicator: the rank's own id */
    uint16_t node;                   /* the outermost trace wrapper; 0: native */
    uint8_t operation;
    int32_t root; /* of a statement its number in the definitions */
    uint64_t bytes, since_ticks;
    int depth;
    bool asking;               /* it waits for its path; its number may be an earlier one of those in flight */
    bool cut;                  /* its beginning was not seen: it is older than since_ticks */
    int edge_count, edge_more; /* the oldest edges; how many more there are */
    struct wm_live_edge edges[WM_LIVE_EDGES];
};

/* Messages of traced protocols, as far as they were seen: since the last gap. */
struct wm_live_queues {
    int64_t receiving, sending; /* posted, and not done */
    int64_t kept, held_bytes;   /* that came before a receive; of these in copies */
};

/* A superblock that has begun, and where it is. */
struct wm_live_superblock {
    uint32_t number;            /* the rank's own */
    enum wm_trace_region place; /* what began last */
};

enum wm_life {
    WM_LIFE_UNKNOWN, /* on another machine, or behind a namespace */
    WM_LIFE_ALIVE,
    WM_LIFE_GONE, /* the process is no more, and has not closed its trace */
    WM_LIFE_CLOSED
};

/* The last call that was begun on a communicator. */
struct wm_live_came {
    uint32_t communicator, sequence;
};

struct wm_live_rank {
    int rank;
    bool begun; /* the header is there; else all below is zero */
    bool stale; /* of an earlier, larger run */
    bool tsc, full;
    enum wm_life life;
    double ticks_per_second;
    uint64_t start_ticks, now_ticks;
    uint64_t last_ticks;     /* of the newest record; the start, without one */
    uint64_t progress_ticks; /* of the newest one that tells of the program: not of a clock */
    uint64_t offered, gaps;
    int call_count, call_more; /* the last one was begun last */
    struct wm_live_call calls[WM_LIVE_CALLS];
    uint64_t ended;                            /* calls that have ended */
    uint64_t inside_ticks, inside_since_ticks; /* time with an open call; since when there is one */
    uint64_t idle_since_ticks;                 /* since when there is none */
    size_t came_count, came_capacity;
    struct wm_live_came *came;
    bool marked;
    uint32_t mark;
    uint64_t mark_ticks;
    enum wm_trace_level level;
    int conveyor_state; /* 0: none is at work */
    uint32_t conveyor;  /* its communicator, the rank's own id */
    uint64_t conveyor_ticks, conveyor_run;
    struct wm_live_queues queues;
    int superblock_count; /* the last one counts; of more than there is room for the last ones are known */
    struct wm_live_superblock superblocks[WM_LIVE_SUPERBLOCKS];
    uint64_t region_ticks; /* since when it is there */

    /* Private to tracer/live*.c. */
    void *mapping;
    size_t mapping_bytes;
    struct wm_guard *guard;
    dev_t device;
    ino_t inode;
    uint64_t capacity, stored, next;
    bool watched; /* it was there at an earlier poll */
    bool unsure;  /* there may be calls of which the enter was not seen */
    uint32_t ended_communicator, ended_sequence;
    uint64_t definitions_size, seen_ns; /* of rank-NNNNN.json; when the newest record was first seen */
    ino_t definitions_inode;
};

struct wm_live {
    char *directory;
    int count; /* ascending by rank */
    struct wm_live_rank *ranks;
    /* What the ranks have defined so far; ranks[i] here belong to ranks[i] there, and hold no records. */
    struct wm_trace *definitions;
    uint64_t now_ns; /* CLOCK_MONOTONIC at the last poll */
    bool here;       /* all ranks ran on this machine */
};

/* Begin to watch a directory; it may be empty as yet. Returns 0; -WM_ETRACE with a sentence when there is no such
 * directory; -WM_ENOMEM. */
int wm_live_open(struct wm_live **live, const char *directory, struct wm_error *error);
/* Read what has been written since the last time. 0 or -WM_ENOMEM. Pointers into `ranks` and `definitions` that were
 * taken before are void. */
int wm_live_poll(struct wm_live *live);
void wm_live_close(struct wm_live *live);

/* Ask all ranks that are known and write on to record at a level, from each one's next call on. Their files must be
 * writable. 0, or -WM_ETRACE with a sentence. */
int wm_live_ask(struct wm_live *live, enum wm_trace_level level, struct wm_error *error);
/* Nanoseconds from `ticks` to the rank's now; never negative. */
int64_t wm_live_age_ns(const struct wm_live_rank *rank, uint64_t ticks);
/* Nanoseconds that the rank had calls open in all. */
int64_t wm_live_inside_ns(const struct wm_live_rank *rank);
/* The rank of this number, or NULL. */
const struct wm_live_rank *wm_live_find(const struct wm_live *live, int rank);
/* All ranks of the job that are known have closed their traces or are gone; false before any has begun. */
bool wm_live_over(const struct wm_live *live);

/* Of tracer/live_state.c: what a record changes, and what a gap leaves. 0 or -WM_ENOMEM. */
int wm_live_take(struct wm_live_rank *rank, const struct wm_trace_record *record);
void wm_live_forget(struct wm_live_rank *rank);
/* Of tracer/live_life.c: is the rank's process there; what is its now. */
void wm_live_look(struct wm_live *live);

#endif
