/* Groups of endpoints, as the room sees them. */
#ifndef WM_MESSAGE_ENDPOINTS_H
#define WM_MESSAGE_ENDPOINTS_H

#include "waymark/message.h"

struct wm_endpoints {
    int count;
    struct wm_message_limits limits;
    struct wm_context *contexts; /* a list: of all protocols that an endpoint has opened so far */
};

#endif
