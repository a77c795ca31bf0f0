/* Pragmas bound to their statements, and what may not be in these. */
#ifndef WM_TRANSLATE_BIND_H
#define WM_TRANSLATE_BIND_H

#include "tools/translate/pragma.h"

/* Bind all pragmas of a parsed file, in the functions that have some. Refused with the place and the reason: a pragma
 * without a statement that can be rewritten; a superblock that is no loop; a region outside of a superblock, or in
 * another region; and jumps by which the markers that they become would be missed.
 * 0, -WM_EINVAL, -WM_ENOMEM. */
int wm_toucan_bind(const struct wm_c_file *c, struct wm_toucan_pragmas *pragmas, struct wm_error *error);

#endif
