/* Jumps of one function, and which pragmas' statements they leave or enter. */
#ifndef WM_TRANSLATE_JUMP_H
#define WM_TRANSLATE_JUMP_H

#include "tools/translate/pragma.h"

struct wm_jump_end {
    CXSourceLocation label, location; /* the label's cursor is another one for each who refers to it */
    int pragma;                       /* index of the innermost one in whose statement it stands; -1: none */
};

struct wm_jump_ends {
    struct wm_jump_end *list;
    int count;
};

struct wm_jumps {
    struct wm_jump_ends gotos, labels;
};

/* Look at a cursor of the function: refuses what is wrong by itself, keeps gotos and labels. `pragma` is the innermost
 * one around it, `switch_pragma` that around the innermost switch. `break` and `continue` are right: regions end where
 * the next one begins, and the superblock's end stands behind its loop. 0, -WM_EINVAL, -WM_ENOMEM. */
int wm_jumps_see(struct wm_jumps *jumps, const struct wm_c_file *c, CXCursor cursor, int pragma, int switch_pragma,
                 struct wm_error *error);

/* The whole function has been seen: refuse a goto whose label stands in another statement of a pragma. */
int wm_jumps_check(const struct wm_jumps *jumps, const struct wm_c_file *c, const struct wm_toucan_pragmas *pragmas,
                   struct wm_error *error);
void wm_jumps_release(struct wm_jumps *jumps);

#endif
