/* What messages cost, of what pairs of ranks have timed. Pure. */
#ifndef WM_GAUGE_MESSAGES_H
#define WM_GAUGE_MESSAGES_H

#include "tools/gauge/rows.h"

/* Add the link of a net at the group's level, and the rows of its messages; none where the group has no samples of it.
 * Returns nanoseconds that a byte takes on the wire: 0 within a node, or where none were timed. */
double wm_gauge_add_messages(struct wm_gauge_build *build, const json_t *group, int net);

#endif
