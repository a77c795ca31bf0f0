/* What a rank's trace says of its clock: pairs (CLOCK) and comparisons with other ranks' (SYNC), from the records and
 * from those that the header page keeps, without what is damaged.
 *
 * Nothing is trusted: a comparison counts when its peer is a lower rank, when it was made within a second of a pair of
 * clocks written before it, and when it agrees with most of the others on peer, kind and offset, as far as clocks may
 * drift apart. So a chain of peers ends, and a single bit that fell over moves nothing. */
#ifndef WM_SYNCS_H
#define WM_SYNCS_H

#include <stddef.h>
#include <stdint.h>
#include "tracer/reader.h"

struct wm_pair {
    uint64_t ticks, monotonic_ns;
};

struct wm_sync {
    uint64_t ticks;
    int64_t offset_ns; /* the peer's CLOCK_MONOTONIC minus this rank's */
    int64_t half_ns;
    int32_t peer;
    bool same; /* it is one clock */
};

struct wm_syncs {
    size_t pair_count, pair_room;
    struct wm_pair *pairs; /* by ticks */
    size_t count, room;
    struct wm_sync *syncs; /* by ticks; all of one peer and kind */
    size_t damaged;        /* comparisons left out */
};

/* Gather them. Returns 0 or -WM_ENOMEM; wm_syncs_release in either case. */
int wm_syncs_gather(struct wm_syncs *syncs, const struct wm_trace_rank *rank);
void wm_syncs_release(struct wm_syncs *syncs);

#endif
