/* Line times: every piece of a region's time is added to its line, to the stages that made it, and to their edges. */
#ifndef WM_LINE_TIMES_H
#define WM_LINE_TIMES_H

#include "tools/analysis/totals.h"

/* Add the time of a region of `part` to `line` and to the lines below it. The region has ended and its wait is known.
 * Returns 0 or -WM_ENOMEM. */
int wm_line_times_add(struct wm_totals *totals, const struct wm_instance *instance, const struct wm_member_part *part,
                      const struct wm_region *region, struct wm_line *line);

#endif
