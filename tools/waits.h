/* Waits: for which late rank did each visit of an instance wait, and how long (TRACES.md, definitions 1 to
 * 3). */
#ifndef WM_WAITS_H
#define WM_WAITS_H

#include "tools/instance.h"

/* Set wait_ns and late_member of all visits of `node`, which are `visits[0 … count - 1]`, from whichever of
 * them depend on each other. An inner trace wrapper may stand in several groups that never meet (as many as
 * the stages outside it left): the edges inside it say which visits belong together. A visit that has not
 * ended gets no wait, but others may have waited for it. `visit_of_member` has an entry for each member of
 * the communicator; it is scratch. */
void wm_waits_find(struct wm_instance *instance, struct wm_visit **visits, size_t count, int *visit_of_member);

#endif
