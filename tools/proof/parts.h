/* Parts in a shared step: what its members do for each other, beyond each one's own account (wm_shared_gives, _gets).
 * Pure. */
#ifndef WM_PROOF_PARTS_H
#define WM_PROOF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include "core/plan/plan.h"

/* Is everything one block, of counts[0] units? Else members have shares. */
bool wm_part_whole(const struct wm_shared *shared);
/* The rank of the root; -1: the kind has none. */
int wm_part_root(const struct wm_shared *shared);

/* Who gives what this member gets into to[range]: a member, or -1 for several of them, combined; out of their
 * from[*from]. */
int wm_part_giver(const struct wm_shared *shared, int range, int *from);
/* Of those: how many, from member 0 on. Of a later member no fewer. */
int wm_part_combined(const struct wm_shared *shared);

/* Units of all that this member gives, or gets from others; *ranges: in how many ranges, *first: the first of them. */
size_t wm_part_given(const struct wm_shared *shared, int *ranges, struct wm_ref *first);
size_t wm_part_gotten(const struct wm_shared *shared, int *ranges, struct wm_ref *first);

#endif
