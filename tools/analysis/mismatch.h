/* Calls that do not match: of one communicator and number, but of other operations or roots at some ranks than at
 * others. */
#ifndef WM_MISMATCH_H
#define WM_MISMATCH_H

#include "tools/analysis/instance.h"

/* Do both ranks' calls of an instance agree in operation and root? */
bool wm_mismatch_none(const struct wm_region *a, const struct wm_region *b);

/* Note an instance whose calls do not match, if it is the earliest one. 0 or -WM_ENOMEM. */
int wm_mismatch_note(struct wm_analysis *analysis, const struct wm_instance *instance);
void wm_mismatch_release(struct wm_mismatch *mismatch);

#endif
