/* Links under way: messages of which one end was seen, for formats that want both or none.
 *
 * A hash table by the message's flow number; memory is that of the messages that are under way at one time. */
#ifndef WM_CONVERT_LINKS_H
#define WM_CONVERT_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/convert/event.h"

struct wm_link {
    uint64_t flow; /* 0: an empty slot */
    bool sent;     /* the send was seen; else the receive, which came first */
    uint32_t communicator, sequence;
    struct wm_event_message message;
};

struct wm_links {
    size_t count, slot_count; /* slot_count: a power of two, or 0 */
    struct wm_link *slots;
};

void wm_links_release(struct wm_links *links);

/* One end of a message. Returns 1 when the other one was seen before, and forgets the link; 0 when it is the first one,
 * which is kept; -WM_ENOMEM. The same end twice changes nothing and gives 0. */
int wm_links_meet(struct wm_links *links, const struct wm_link *end);

#endif
