/* Hazards: which earlier steps a step must wait for, found from what it reads and writes.
 *
 * For every buffer the tracker keeps the steps that last touched each range. A read waits for the writers; a write for
 * writers and readers; an update (a commuting reduction) for all but the other updates of its generation. So the
 * order of the planner's calls is the meaning, and everything that may overlap does.
 * Where n steps would each wait for m others, all at the same range (reads behind updates, updates behind reads), a
 * step that joins the m is put between: wm_hazards_crowded says when, and n + m dependencies do for n × m. */
#ifndef WM_HAZARD_H
#define WM_HAZARD_H

#include <stdbool.h>
#include <stddef.h>
#include "core/plan/plan.h"

enum wm_access {
    WM_READ,
    WM_WRITE,
    WM_UPDATE,
    WM_JOIN /* touches nothing, but waits for all that touched the range, and stands for them from now on */
};

struct wm_hazards;

struct wm_hazards *wm_hazards_new(void);
void wm_hazards_free(struct wm_hazards *hazards);

/* Step `step` touches `count` units at `ref`: call `depend(data, earlier)` for each step that it must wait for
 * (repeats are possible), and remember the access. Returns 0 or -WM_ENOMEM. */
int wm_hazards_access(struct wm_hazards *hazards, int step, enum wm_access access, struct wm_ref ref, size_t count,
                      void (*depend)(void *data, int earlier), void *data);

/* Has a step written, or updated, any of the range's units? */
bool wm_hazards_written(const struct wm_hazards *hazards, struct wm_ref ref, size_t count);

/* Would a read or an update wait for so many steps, for which the next one like it will wait too, that they are worth
 * joining first? Never for writes: what comes behind one waits for it alone. */
bool wm_hazards_crowded(const struct wm_hazards *hazards, enum wm_access access, struct wm_ref ref, size_t count);

#endif
