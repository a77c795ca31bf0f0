/* Tracks: a rank's items made into events whose states nest, track by track, and end.
 *
 * A call (communicator and sequence) keeps the track on which its first wrapper began; a wrapper entered again before
 * it was left stays one state. A call that begins while another one is under way, and what does not nest in its call,
 * take the first track from 1 on that is empty. Whatever a damaged trace says: an end closes what began after its
 * begin, an end without a begin is folded, and at the close all that is open ends, cut. */
#ifndef WM_CONVERT_TRACKS_H
#define WM_CONVERT_TRACKS_H

#include <stddef.h>
#include <stdint.h>
#include "tools/convert/event.h"
#include "tools/convert/stream.h"

struct wm_converter_counts;
struct wm_track;

struct wm_tracks {
    const struct wm_trace *trace;
    int rank_index;
    int64_t begin_ns; /* items before it are followed, but give no events */
    bool started;
    size_t count, capacity;
    struct wm_track *tracks;
    struct wm_converter_counts *counts;
    int (*take)(void *context, const struct wm_event *event); /* 0, or a code that ends the conversion */
    void *context;
};

void wm_tracks_init(struct wm_tracks *tracks, const struct wm_trace *trace, int rank_index, int64_t begin_ns,
                    struct wm_converter_counts *counts, int (*take)(void *, const struct wm_event *), void *context);
void wm_tracks_release(struct wm_tracks *tracks);

/* Hand on what the item means. Returns 0, -WM_ENOMEM, or what `take` returned. */
int wm_tracks_add(struct wm_tracks *tracks, const struct wm_item *item);

#endif
