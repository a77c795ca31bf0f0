/* What was going on when ranks stopped without a closing record. */
#ifndef WM_STUCK_H
#define WM_STUCK_H

#include "tools/analysis/analysis.h"
#include "tools/analysis/history.h"

/* If a rank that never closed its trace was inside this instance, note who was in it, who never came, and
 * which messages were awaited; where calls do not match, of each call. A rank that switched recording off since it came
 * is not known to be inside, and one that did since its last call on this communicator may have come. The instance is
 * in the history already, and those before it on the communicator. 0 or -WM_ENOMEM. */
int wm_stuck_note(struct wm_analysis *analysis, const struct wm_instance *instance, const struct wm_history *history);

/* List the ranks without a closing record, after all instances have been noted. 0 or -WM_ENOMEM. */
int wm_stuck_list_deaths(struct wm_analysis *analysis, const struct wm_trace *trace, const struct wm_history *history);

#endif
