/* What is read off the records of conveyors, before it is brought together across ranks. Ranks here are the
 * communicator's; links are known by where they lead: rank, hop, number within the hop. */
#ifndef WM_CONVEYORS_RAW_H
#define WM_CONVEYORS_RAW_H

#include "tools/analysis/conveyors.h"

struct wm_conveyor_link {
    uint32_t conveyor, run;
    int rank, hop, number; /* of the inlet */
};

/* Units from `position` to `end` of a link, closed or taken at `ns`. */
struct wm_conveyor_piece {
    struct wm_conveyor_link link;
    uint64_t position, end;
    int64_t ns;
};

/* `rank` waited for room towards `to`. */
struct wm_conveyor_wait {
    uint32_t conveyor, run;
    int rank, to, hop;
    int64_t from_ns, to_ns;
};

/* A watched item was written to the outlet of `link` by `rank`, or came to its inlet. */
struct wm_conveyor_step {
    struct wm_conveyor_link link;
    uint64_t ticks;
    int step, rank; /* enum wm_trace_step */
    int64_t ns, age_ns;
};

struct wm_conveyor_records {
    struct wm_conveyor_table *conveyors;
    struct wm_trace *trace;
    size_t close_count, close_capacity, take_count, take_capacity, wait_count, wait_capacity, step_count, step_capacity;
    struct wm_conveyor_piece *closes, *takes;
    struct wm_conveyor_wait *waits;
    struct wm_conveyor_step *steps;
};

/* By conveyor, run, rank, hop and number. */
int wm_conveyor_link_compare(const struct wm_conveyor_link *a, const struct wm_conveyor_link *b);

/* Each sorts what it reads. 0 or -WM_ENOMEM. */
int wm_conveyors_match(
    struct wm_conveyor_records *raw); /* tools/analysis/conveyors_match.c: latencies, and units at both ends */
int wm_conveyors_block(struct wm_conveyor_records *raw);  /* tools/analysis/conveyors_block.c: who blocks whom */
int wm_conveyors_follow(struct wm_conveyor_records *raw); /* tools/analysis/conveyors_follow.c: watched items */

#endif
