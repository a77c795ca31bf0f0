/* Shared steps of a round, written short. */
#ifndef WM_TOOLS_SHARED_STEPS_H
#define WM_TOOLS_SHARED_STEPS_H

#include "tools/proof/rounds.h"

/* How many shared steps from the first of `count` on are of one round, line, kind and size. */
size_t wm_shared_steps_alike(const struct wm_round_shared *joints, size_t count);

/* Shared steps alike as text: "reduce {0-3}→0 {4-7}→4"; "bcast 0→{0-3}×2"; "allgather {0-3}". No more than `max` of
 * them, unless it is 0. The caller frees; NULL: no memory. */
char *wm_shared_steps_text(const struct wm_round_shared *joints, size_t count, size_t max);

/* What a shared step is called, with its root, and its members in braces: "reduce {0-3}→0". */
enum { WM_SHARED_STEP_CHARS = 320 };
void wm_shared_step_text(const struct wm_shared *shared, char out[WM_SHARED_STEP_CHARS]);

#endif
