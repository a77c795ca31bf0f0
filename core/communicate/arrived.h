/* What has come of ranks whose messages their senders alone know of. */
#ifndef WM_ARRIVED_H
#define WM_ARRIVED_H

#include "core/communicate/turn.h"

struct wm_arrived {
    struct wm_arrived *next; /* by source */
    struct wm_talk_mail_envelope e;
    char *data;
};

/* So many bytes of a rank, among the others of the turn: at `data`, or, if that is NULL, to come into
 * room of their own. */
struct wm_arrived *wm_arrived_new(struct wm_turn *turn, int source, char *data, size_t bytes);

#endif
