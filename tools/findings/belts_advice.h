/* Advice on conveyors. */
#ifndef WM_BELTS_ADVICE_H
#define WM_BELTS_ADVICE_H

#include <stddef.h>
#include "tools/analysis/belts.h"

/* A sentence or two: what costs most in the belt that ran longest, and what to change; there is one belt at least. */
void wm_belts_advise(const struct wm_trace *trace, struct wm_belts *belts, char *out, size_t out_bytes);

#endif
