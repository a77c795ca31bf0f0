/* Groups of endpoints, as the room sees them. */
#ifndef WM_MESSAGE_ENDPOINTS_H
#define WM_MESSAGE_ENDPOINTS_H

#include <pthread.h>
#include "waymark/message_threads.h"

struct wm_endpoints {
    int count;
    struct wm_message_limits limits;
    struct wm_message_way ways[2]; /* where `limits.ways` says none: to peers elsewhere; to those near */
    struct wm_context *contexts;   /* a list: of all protocols that an endpoint has opened or sent by so far */
    uint32_t context_count;
    struct wm_far *far;           /* core/message/far.h; NULL: all endpoints are in this process */
    void (*drained)(void *owner); /* something has moved; NULL: nobody wants to know */
    void *owner;
    pthread_mutex_t lock; /* of the functions of many threads, and of the library's progress */
    bool shared;          /* there are such */
};

/* The protocol of this name; made, if it is new. NULL: no memory. */
struct wm_context *wm_context_find(struct wm_endpoints *group, const char *name, size_t header_bytes);
/* An endpoint of this process. */
bool wm_endpoint_is_here(const struct wm_endpoints *group, int endpoint);
/* The peer is of the same node. */
bool wm_endpoint_is_near(const struct wm_endpoints *group, int endpoint);
/* A protocol is open: if the job is traced, and some of its messages are to be, number and define it. */
void wm_message_trace_open(struct wm_protocol *p);
/* The protocols that an endpoint of this process has opened: "'a', 'b'". */
void wm_endpoint_list(const struct wm_endpoints *group, int endpoint, char *out, size_t bytes);
/* What has arrived from an endpoint of another process, with this record, and whose data is there; NULL: nothing. */
struct wm_match *wm_protocol_find_announced(const struct wm_protocol *p, int sender, uint64_t record);

#endif
