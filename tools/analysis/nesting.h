/* Nesting: which of a rank's regions is the innermost at a time. */
#ifndef WM_NESTING_H
#define WM_NESTING_H

#include "tools/analysis/instance.h"

/* The innermost region of `part` that is open just before `end_ns`; where none is, the outermost. It has been that
 * since *since_ns. The part has a region. O(regions of the part), which are few. */
const struct wm_region *wm_nesting_innermost(const struct wm_instance *instance, const struct wm_member_part *part,
                                             int64_t end_ns, int64_t *since_ns);

/* The part of a member, NULL where it has none or none of its regions is known. O(log parts). */
const struct wm_member_part *wm_nesting_part(const struct wm_instance *instance, int member);

#endif
