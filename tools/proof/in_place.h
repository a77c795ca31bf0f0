/* In place: a block of the receive buffer takes the place of all that stood there. What is written to it waits for what
 * reads that place, which is another step at each rank. So that plans are alike all the same, each is given more waits
 * than it has: the first write waits for all that reads the buffer, further writes for the one before. Where two steps
 * meet in another buffer, too, no wait is put that does not follow from those there are: so one that is missing stays
 * so. Ranks that do not wait for each other in a circle so do not with fewer waits. Pure. */
#ifndef WM_PROOF_IN_PLACE_H
#define WM_PROOF_IN_PLACE_H

#include <stdbool.h>
#include "core/plan/plan.h"
#include "tools/proof/arena.h"

/* Give these waits to a plan of sound edges that is to be compared with others, or carried out for them. A plan that
 * reads behind its first write is left as it is. False: step *writer is not seen to wait for step *other, which touches
 * its place. */
bool wm_in_place_wait(struct wm_plan *plan, struct wm_arena *arena, int *other, int *writer);

#endif
