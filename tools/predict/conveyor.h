/* What a conveyor's run takes: pushes of so many items by every rank, each for a rank that is drawn, until all know the
 * end. A closed form, by the costs that a profile has of items, buffers and hops. Pure.
 *
 * A rank's core is busy, for each item that it pushes, with
 *   a push, and a pull of somebody's item;
 *   cross, on each hop through the node's memory to another rank;
 *   relay, on each hop but the last that it takes;
 *   its share of the buffers of each hop: hand + wait / buffers under way, over the units of a buffer, or of as many as
 *     come to a link at all. A ring of one buffer is handed over in halves.
 * Of what is between two ranks each has half. The rank that is busy longest decides, or hosts' cards, which carry what
 * leaves them at the rate that the profile has for a host; where a host has more ranks than cores, what all its ranks
 * are busy with, over the cores, if that is longer. Behind that each hop has its end. How many items take which hops is
 * counted by following them (tools/predict/convey_traffic.h).
 *
 * Not modelled: items that are not for all alike, compression, bulk exchanges, emulated delays. */
#ifndef WM_PREDICT_CONVEYOR_H
#define WM_PREDICT_CONVEYOR_H

#include "tools/predict/model.h"
#include "tools/routes/network.h"

enum wm_convey_time_part {
    WM_CONVEY_TIME_PUSH,
    WM_CONVEY_TIME_RELAY,
    WM_CONVEY_TIME_CROSS,
    WM_CONVEY_TIME_BUFFERS,
    WM_CONVEY_TIME_CARD, /* what the cards take beyond the cores */
    WM_CONVEY_TIME_PULL,
    WM_CONVEY_TIME_END,
    WM_CONVEY_TIME_PARTS
};

struct wm_convey_time {
    int64_t parts[WM_CONVEY_TIME_PARTS]; /* ps, of the whole run; they add up to `time` */
    int64_t time;
    int64_t card;  /* ps that the busiest host's card is used; 0: nothing leaves, or the profile has no rate */
    int64_t begin; /* ps of begin and reset, which are not in `time` */
    int64_t
        drain;    /* ps from when the last rank says that it is done, and has pulled what was there: a part of `time` */
    double hops;  /* that an item takes */
    bool crowded; /* a host has fewer cores than ranks */
    bool measured; /* every level has rows of its own */
};

/* Follow items on the network, whose grid the model has, and add up. Returns 0, or -WM_EINVAL with a sentence: the
 * design is not modelled, or what the profile lacks and how to have it measured. */
int wm_convey_time_find(struct wm_convey_time *out, const struct wm_model *model, struct wm_network *network,
                        const struct wm_convey_form *form, uint64_t items, struct wm_error *error);

const char *wm_convey_time_name(enum wm_convey_time_part part);

#endif
