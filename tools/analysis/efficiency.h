/* Efficiency: POP's efficiencies, from the ranks' timelines (docs/definitions.md, 11; see struct wm_efficiency). */
#ifndef WM_EFFICIENCY_H
#define WM_EFFICIENCY_H

#include "tools/analysis/history.h"

/* Of a history that is finished. */
void wm_efficiency_find(struct wm_efficiency *efficiency, const struct wm_history *history);

#endif
