/* The history: a short note of every region, kept until all instances are known.
 *
 * Notes are filed by instance: the regions of one node in one instance are a group, in the order of instances, within
 * it of ranks. For each rank the history is a timeline besides: the spans that the rank spent in traced calls and
 * messages, in the order of time, without overlap. Of a nonblocking call that is the time spent waiting for it, not its
 * flight. */
#ifndef WM_HISTORY_H
#define WM_HISTORY_H

#include "tools/analysis/analysis.h"
#include "tools/analysis/instance.h"

#define WM_NOBODY UINT32_MAX
#define WM_NO_LINE UINT16_MAX
#define WM_MESSAGE_LINE (UINT16_MAX - 1)

struct wm_history_note {
    int64_t enter_ns, leave_ns; /* leave: WM_TIME_UNKNOWN if it did not end */
    int64_t wait_ns;
    uint32_t late; /* number in the group of whom it waited for, or WM_NOBODY */
    int32_t rank_index;
};

struct wm_note_group {
    uint32_t first, count; /* notes */
    uint32_t communicator; /* key */
    uint16_t line;         /* number of the line in the line_table */
    bool outermost;
    bool all; /* everybody depends on everybody: it synchronises all of its ranks */
};

struct wm_history_span {
    int64_t begin_ns, end_ns;
    uint32_t group;
    uint16_t line; /* WM_NO_LINE: recording was off, and what the rank did is not known; WM_MESSAGE_LINE: it was in
                    * point-to-point calls; group of both: WM_NOBODY */
};

struct wm_rank_history {
    struct wm_history_span *spans;
    size_t count, capacity;
    int64_t begin_ns, end_ns; /* what is on record of it: not what was lost before or behind */
    int64_t late_ns;          /* waits for late ranks in outermost calls, as far as the program waited */
    int64_t off_ns;           /* of this, with recording switched off */
    int64_t message_end_ns;   /* of the last point-to-point call so far */
    int64_t off_since_ns;     /* WM_TIME_UNKNOWN: it is on at the end */
    bool asks;                /* at the end: the path of its newest call is not there, */
    uint32_t asks_communicator, asks_sequence; /* which is this one, or an earlier one */
    int64_t on_since_ns;                       /* when it was switched on last, WM_TIME_UNKNOWN: it was always on */
};

struct wm_history {
    struct wm_trace *trace;
    struct wm_rank_history *ranks; /* by rank index */
    size_t note_count, note_capacity;
    struct wm_history_note *notes;
    size_t group_count, group_capacity;
    struct wm_note_group *groups;
    bool out_of_memory; /* a switch had to be left out for it */
};

/* 0 or -WM_ENOMEM; release in any case. */
int wm_history_init(struct wm_history *history, struct wm_trace *trace);
void wm_history_release(struct wm_history *history);

/* Take a LEVEL record. */
void wm_history_switch(struct wm_history *history, int rank_index, const struct wm_trace_record *record);

/* Take a P2P_DONE record: until then the rank was in the call. */
void wm_history_message(struct wm_history *history, int rank_index, const struct wm_trace_record *record);

/* Take an ASK record. */
void wm_history_ask(struct wm_history *history, int rank_index, const struct wm_trace_record *record);

/* Note the regions of one node, whose waits are set. `line` is the number of their line; `all`: see above. 0 or
 * -WM_ENOMEM. */
int wm_history_add(struct wm_history *history, const struct wm_instance *instance, struct wm_region *const *regions,
                   size_t count, uint16_t line, bool all);

/* Lay the timelines, after the last region. 0 or -WM_ENOMEM. */
int wm_history_finish(struct wm_history *history);

/* The note of a rank in a group, or NULL. O(log). */
const struct wm_history_note *wm_history_find(const struct wm_history *history, const struct wm_note_group *group,
                                              int rank_index);
/* How many spans of a rank begin before `time_ns`. O(log). */
size_t wm_history_spans_before(const struct wm_rank_history *rank, int64_t time_ns);

#endif
