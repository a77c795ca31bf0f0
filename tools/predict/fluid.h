/* Flows that share resources as fluids do: a resource divides what it has equally among its flows, at every moment.
 *
 * A flow takes as long for a byte as the slowest of what it passes, its *governor*: its own rate, or a resource with
 * the sum of the shares of all flows there. What a slowed flow leaves over elsewhere is not given to others. All at one
 * time change at once: wm_fluid_settle. So equal flows stay equal, whatever the order in which they were added: nothing
 * queues.
 *
 * A resource has a clock, the bytes that each flow which it governs has got so far. When a flow is over is a time of
 * that clock, and does not change when others come and go; so these cost no more than a place in a heap, and one event.
 * Flows are looked at again when loads have come half the way to each other since they were last. */
#ifndef WM_PREDICT_FLUID_H
#define WM_PREDICT_FLUID_H

#include <stddef.h>
#include <stdint.h>
#include "tools/predict/events.h"

enum { WM_FLUID_PASSED_MAX = 8 };

struct wm_fluid_resource {
    int64_t load;         /* fs a byte: the sum of shares */
    int64_t clock, since; /* bytes << 16 that each governed flow has got, at `since` */
    int64_t low, high;    /* below: a governed flow may have another governor; above: another's flow may be its own */
    int first;            /* link of a flow that another one governs, -1 */
    int told;             /* the governed flow whose end is among the events, -1 */
    int *governed;        /* a heap: first what ends first */
    size_t governed_count, governed_room;
    bool changed;
};

/* A flow at a resource: link flow * WM_FLUID_PASSED_MAX + i. */
struct wm_fluid_link {
    int resource, before, behind;
    int64_t share;
};

struct wm_flow_state {
    int step;     /* the send */
    int passed;   /* resources */
    int governor; /* link, -1: its own rate */
    int place;    /* in the governor's heap */
    int64_t own;  /* fs a byte */
    int64_t end;  /* of the governor's clock; at its own rate: bytes << 16 that are left at `since` */
    int64_t since;
    uint32_t version;
    bool listed;
};

struct wm_fluid {
    size_t resource_count;
    struct wm_fluid_resource *resources;
    size_t flow_count, flow_room, link_room, changed_count, changed_room, listed_count, listed_room;
    struct wm_flow_state *flows;
    struct wm_fluid_link *links;
    int *changed, *listed; /* resources; flows whose governor is to be looked for */
    int idle;              /* a flow that is over, -1; by `step` from one to the next */
};

/* Of so many resources, none of them used. Ends the process when there is no memory, as all of this. */
void wm_fluid_init(struct wm_fluid *fluid, size_t resources);
void wm_fluid_release(struct wm_fluid *fluid);

/* A flow begins. Returns its number. */
int wm_fluid_begin(struct wm_fluid *fluid, int step, uint64_t bytes, int64_t own, int64_t now);
/* It passes a resource from `now` on, and takes so much of it, fs a byte. */
void wm_fluid_pass(struct wm_fluid *fluid, int flow, int resource, int64_t share, int64_t now);
/* Is an event about a flow still true? */
bool wm_fluid_holds(const struct wm_fluid *fluid, const struct wm_sim_event *event);
/* A flow is over. Adds an event for another one that is, too. */
void wm_fluid_end(struct wm_fluid *fluid, int flow, int64_t now, struct wm_events *events);
/* Nothing more begins or ends now: add events for what has begun, and where the next end has another time. */
void wm_fluid_settle(struct wm_fluid *fluid, int64_t now, struct wm_events *events);

/* Append how all stands, resource by resource, so that it is equal where what follows is, whatever the time: see
 * tools/predict/folds.h. Between two times, behind wm_fluid_settle. */
void wm_fluid_note(struct wm_fluid *fluid, int64_t now, int64_t **notes, size_t *count, size_t *room);

#endif
