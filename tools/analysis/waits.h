/* Waits: for which late rank did each region of an instance wait, and how long (docs/definitions.md, 1 to 3).
 *
 * Of the v- and neighbor forms the messages tell who depends on whom (tools/analysis/reach.h). Where they cannot
 * (native calls, recording at level `calls`, shared memory) the v-forms count as their plain ones, as if no count were
 * 0; of the neighbor forms nothing is known then, and nobody waits. */
#ifndef WM_WAITS_H
#define WM_WAITS_H

#include "tools/analysis/instance.h"

/* Set wait_ns and late_member of all regions of `node`, which are `regions[0 … count - 1]`, from whichever of
 * them depend on each other. An inner trace wrapper may stand in several groups that never meet (as many as
 * the stages outside it left): the edges inside it say which regions belong together. A region that has not
 * ended gets no wait, but others may have waited for it. `region_of_member` has an entry for each member of
 * the communicator; it is scratch. 0 or -WM_ENOMEM. */
int wm_waits_find(struct wm_instance *instance, struct wm_region **regions, size_t count, int *region_of_member);

#endif
