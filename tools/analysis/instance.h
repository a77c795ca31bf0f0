/* One instance: all records of one collective call on one communicator, of all its ranks, put in order.
 *
 * Filled from runs of records (a rank's records of one instance, next to each other) in the order of ranks;
 * used by the totals; cleared for the next. Storage is kept between instances. */
#ifndef WM_INSTANCE_H
#define WM_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/analysis/analysis.h"
#include "tools/analysis/attribution.h"
#include "tracer/reader.h"

enum { WM_REGIONS_PER_RANK = 32 };

struct wm_trace_run {
    uint32_t communicator, sequence; /* communicator: key */
    int rank_index;                  /* in wm_trace.ranks */
    uint32_t count;                  /* records, from `first` on; clock pairs and questions may lie between */
    uint64_t first;
};

/* A region, in OTF2's sense: a rank's stay inside a trace wrapper, or in a call of the library, from enter to leave. */
struct wm_region {
    int rank_index, member; /* member: rank in the communicator */
    uint16_t node;
    uint8_t operation;
    bool outermost, left; /* left: it has ended */
    int root;
    int depth;
    uint64_t pieces, bytes;
    int64_t enter_ns, leave_ns;
    int64_t wait_ns; /* W_p, by the totals */
    int late_member; /* for whom; -1: nobody */
    int parent;      /* union-find among the regions of a node */
};

/* A message, from both sides; a time that is not known is WM_TIME_UNKNOWN. */
struct wm_trace_message {
    int source, destination; /* members */
    uint32_t number;
    uint16_t send_node, receive_node;
    uint64_t bytes;
    int64_t send_post_ns, send_done_ns, receive_post_ns, receive_done_ns;
};

#define WM_TIME_UNKNOWN INT64_MIN

/* A rank's side of a message, and which of the rank's regions were open when it was posted (bit i: its region
 * i). */
struct wm_trace_side {
    uint32_t message;
    bool receive;
    uint32_t open_regions;
};

/* What one rank contributed: ranges of the arrays below. */
struct wm_member_part {
    int rank_index, member;
    bool cut; /* its beginning may be lost */
    int64_t flight_end_ns,
        flight_wait_ns; /* of a nonblocking call: the end of the last wait for it, and their length */
    size_t first_region, region_count, first_side, side_count, first_work, work_count;
    uint32_t open_regions;
};

/* By the time an observer sees an instance, each part's sides and works are in the order of their ends; sides that
 * never ended come last. */
struct wm_instance {
    struct wm_trace *trace;
    const struct wm_trace_communicator *communicator;
    uint32_t sequence;
    size_t part_count, part_capacity;
    struct wm_member_part *parts;
    size_t region_count, region_capacity;
    struct wm_region *regions;
    size_t side_count, side_capacity;
    struct wm_trace_side *sides;
    size_t work_count, work_capacity;
    struct wm_attributed_work *works;
    size_t message_count, message_capacity;
    struct wm_trace_message *messages;
    size_t slot_count;
    uint32_t *slots;      /* hash table of messages: index + 1 */
    int *member_of_world; /* for member_key's communicator; -1: not in it */
    uint32_t member_key;
    uint64_t unknown, incomplete;
};

/* Ready for the trace's first instance. 0 or -WM_ENOMEM; release in any case. */
int wm_instance_init(struct wm_instance *instance, struct wm_trace *trace);
void wm_instance_release(struct wm_instance *instance);

/* Begin another instance. */
void wm_instance_begin(struct wm_instance *instance, uint32_t communicator, uint32_t sequence);
/* Add a run. Runs of a rank come together, in order. 0 or -WM_ENOMEM. */
int wm_instance_add(struct wm_instance *instance, const struct wm_trace_run *run);

#endif
