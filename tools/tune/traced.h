/* What a trace says is to be tuned. */
#ifndef WM_TUNE_TRACED_H
#define WM_TUNE_TRACED_H

#include "tools/tune/state.h"

/* Can the operation be tuned? Rules look at `bytes`: operations whose bytes the ranks do not share cannot. */
bool wm_tune_is_tuned(int operation);
/* A field more of the state, which has none of the operation and name; a barrier has no sizes. NULL: no room. */
struct wm_tune_field *wm_tune_add_field(struct wm_tune_state *state, int operation, const struct wm_size_list *sizes,
                                        double weight);
/* Fields of what the calls of all ranks took in a trace: operations, and conveyors, of 1 % or more, for their sizes.
 * Returns 0 or -WM_E… with a sentence. */
int wm_tune_add_traced(struct wm_tune_state *state, const char *trace, struct wm_error *error);

#endif
