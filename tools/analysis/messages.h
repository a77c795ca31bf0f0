/* Messages: counts those that arrived, by stage, edge and size; how long they took and how much earlier than needed
 * they came. */
#ifndef WM_MESSAGES_H
#define WM_MESSAGES_H

#include "tools/analysis/totals.h"

/* Count the messages of an instance with a region; its sides are in the order of their ends. 0 or -WM_ENOMEM. */
int wm_messages_count(struct wm_totals *totals, const struct wm_instance *instance);

#endif
