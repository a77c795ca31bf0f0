/* Epochs: each where it held first. */
#include "tools/analysis/map_epochs.h"

#include <string.h>

/* Where the epoch stands, or is to stand. */
static int place_of(const struct wm_map_epochs *all, uint64_t epoch)
{
    int place = 0;

    while (place < all->count && all->epochs[place].epoch < epoch)
        place++;
    return place;
}

static bool make_room(struct wm_map_epochs *all, int place)
{
    if (all->count == WM_MAP_EPOCHS_MAX) {
        all->more++;
        return false;
    }
    memmove(&all->epochs[place + 1], &all->epochs[place], sizeof *all->epochs * (size_t)(all->count++ - place));
    return true;
}

void wm_map_epochs_note(struct wm_map_epochs *all, struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    int place = place_of(all, record->argument);
    bool known = place < all->count && all->epochs[place].epoch == record->argument;
    const struct wm_map_epoch epoch = {.epoch = record->argument,
                                       .first_node = record->node,
                                       .tried = record->flags & 1,
                                       .at_ns = wm_trace_ns(rank, record->time_ticks),
                                       .communicator = wm_trace_communicator_key(rank, record->communicator),
                                       .sequence = record->sequence};

    if (known ? epoch.at_ns < all->epochs[place].at_ns : make_room(all, place))
        all->epochs[place] = epoch;
}
