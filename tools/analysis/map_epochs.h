/* Epochs: the maps that a job was given while it ran, and when they began to hold. */
#ifndef WM_ANALYSIS_MAP_EPOCHS_H
#define WM_ANALYSIS_MAP_EPOCHS_H

#include <stdbool.h>
#include "tracer/reader.h"

enum { WM_MAP_EPOCHS_MAX = 64 };

/* One of them, where it held first. */
struct wm_map_epoch {
    uint64_t epoch;
    int first_node; /* of its map */
    bool tried;     /* a further map beside it */
    int64_t at_ns;
    uint32_t communicator, sequence; /* its first call: communicator's key, ordinal */
};

/* By their numbers; `more` have no room. */
struct wm_map_epochs {
    int count, more;
    struct wm_map_epoch epochs[WM_MAP_EPOCHS_MAX];
};

/* Take a MAP_EPOCH record of a rank. */
void wm_map_epochs_note(struct wm_map_epochs *epochs, struct wm_trace_rank *rank, const struct wm_trace_record *record);

#endif
