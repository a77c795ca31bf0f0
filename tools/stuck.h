/* What was going on when ranks stopped without a closing record. */
#ifndef WM_STUCK_H
#define WM_STUCK_H

#include "tools/analysis.h"
#include "tools/instance.h"

/* If a rank that never closed its trace was inside this instance, note who was in it, who never came, and
 * which messages were awaited. 0 or -WM_ENOMEM. */
int wm_stuck_note(struct wm_analysis *analysis, const struct wm_instance *instance);

/* List the ranks without a closing record, after all instances have been noted. 0 or -WM_ENOMEM. */
int wm_stuck_list_deaths(struct wm_analysis *analysis, const struct wm_trace *trace);

#endif
