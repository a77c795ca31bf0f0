/* Messages under a delay: those that cross an axis are held until an emulated network would have brought them.
 *
 * A way (struct wm_message_way) that has a delay makes its messages so. The sender says when a message is due, in a
 * line before it. The receiver holds the message, in the order of due times, until a drain finds it due: before that no
 * receive takes it, no probe sees it, and a cancelled send ends as if it were in the queue. What is held counts as
 * kept, so a small send is over when the message is on its way. What one process sends another comes in order. The data
 * of a large message is fetched when it is taken, behind the due time; answers and data themselves are not held.
 *
 * Messages within a process are not held: a delay whose axis parts endpoints of one process cannot be had. */
#ifndef WM_MESSAGE_DELAY_H
#define WM_MESSAGE_DELAY_H

#include "core/message/far.h"
#include "core/process/uplink.h"

/* All of it is there until the group is freed. */
struct wm_message_delay {
    struct wm_uplink *uplink;
    const int *groups;                 /* by endpoint: messages between those of different ones are held */
    bool (*holds)(const void *header); /* whether it does this message; NULL: it does all */
};

/* Does it part endpoints of one process, each of which has `each`? */
bool wm_message_delay_parts(const struct wm_message_delay *delay, int endpoints, int each);

/* ---- what is for the room alone ---- */

/* A message that has come and is not due; in the order of due times. */
struct wm_held {
    struct wm_held *next;
    uint64_t at_ns;
    struct wm_wire_peer *peer;
    struct wm_protocol *p;
    struct wm_wire_line line;
    size_t kept_bytes; /* of its protocol's */
    char body[];
};

/* Say when the message that will be written next is due. */
void wm_held_announce(struct wm_protocol *p, const struct wm_envelope *e, const void *header,
                      const struct wm_message_delay *delay, struct wm_wire_peer *peer);
/* The next message of the peer is due then. */
void wm_held_expect(struct wm_wire_peer *peer, const struct wm_wire_line *line);
/* That message has come: hold it. False: there is no memory for it. */
bool wm_held_come(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line);
/* Let what is due come. True: something did. */
bool wm_held_drain(struct wm_endpoints *group);
/* A sender cancels a message: where it is held, it is refused. */
void wm_held_cancel(struct wm_far *far, const struct wm_protocol *p, const struct wm_wire_line *line);
/* A protocol is closed at an endpoint: what is held for it is no longer. */
void wm_held_close(const struct wm_protocol *p);
void wm_held_free(struct wm_far *far);

#endif
