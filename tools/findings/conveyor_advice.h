/* Advice on conveyors. */
#ifndef WM_CONVEYOR_ADVICE_H
#define WM_CONVEYOR_ADVICE_H

#include <stddef.h>
#include "tools/analysis/conveyors.h"

/* A sentence or two: what costs most in the conveyor that ran longest, and what to change; there is one conveyor at
 * least. */
void wm_conveyors_advise(const struct wm_trace *trace, struct wm_conveyor_table *conveyors, char *out,
                         size_t out_bytes);

#endif
