/* The ways of messages (waymark/message.h): what the map of a communicator says of them.
 *
 * All ranks ask together when a group of endpoints is made. If no rule looks at the name of the protocol, the answers
 * hold for every one; else a rank asks, alone, when it opens a protocol. Nothing is asked when a message is sent. */
#ifndef WM_WAYS_H
#define WM_WAYS_H

#include "core/call/comm.h"
#include "core/message/delay.h"
#include "core/path/message_design.h"
#include "waymark/message.h"

/* Ask the map of `record`, which has kin, about messages of all sizes to near peers, and to others, and let the limits
 * of a group give its answers; the group's end frees them. Where it has not joined, the answers come to all by the
 * library's broadcast. Collective. */
void wm_ways_ask(struct wm_comm *record, struct wm_message_limits *limits);

/* The way of messages of any size that the design says; `eager_bytes`: where it does not say that, 0: what messages to
 * such peers have (core/path/transport.h). `delay`: the one that the design says, NULL: none. */
struct wm_message_way wm_way_of(const struct wm_message_design *design, bool near, size_t eager_bytes,
                                const struct wm_message_delay *delay);

#endif
