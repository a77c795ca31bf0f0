/* Events that are to come, in order of time; at one time by what they are to their rank, never by the order in which
 * they were added: that would differ between a full run and a quotient. A heap of four children a node. */
#ifndef WM_PREDICT_EVENTS_H
#define WM_PREDICT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_event_kind {
    WM_EVENT_DONE,   /* rank `at`: what its core did */
    WM_EVENT_BEGIN,  /* send `at`: the message may flow */
    WM_EVENT_FLOWN,  /* flow `at`: its last byte has left */
    WM_EVENT_LEFT,   /* send `at`: the same of one that shares nothing */
    WM_EVENT_LAND,   /* receive `at`: all is there */
    WM_EVENT_ASK,    /* receive `at`: a request is there */
    WM_EVENT_ANSWER, /* send `at`: the receiver is ready */
    WM_EVENT_ENTER,  /* rank `at` begins the call, or comes back to it */
    WM_EVENT_TURN    /* core `at` has come to its next rank */
};

struct wm_sim_event {
    int64_t time;
    uint32_t order; /* among events of one time at one rank */
    uint32_t kind : 4, version : 28;
    int at;
};

struct wm_events {
    struct wm_sim_event *heap;
    size_t count, capacity;
};

/* Both end the process when there is no memory. */
void wm_events_add(struct wm_events *events, const struct wm_sim_event *event);
struct wm_sim_event wm_events_take(struct wm_events *events);
void wm_events_release(struct wm_events *events);

#endif
