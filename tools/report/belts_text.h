/* Conveyors on the report's page. */
#ifndef WM_BELTS_TEXT_H
#define WM_BELTS_TEXT_H

#include "tools/analysis/belts.h"
#include "tools/text/table.h"

/* Print a section for each belt: its runs, its hops, what blocks it, its watched items, who sends to whom. */
void wm_belts_print(const struct wm_page *page, const struct wm_trace *trace, struct wm_belts *belts);

/* A sentence or two: what costs most in the belt that ran longest, and what to change; there is one belt at least. */
void wm_belts_advise(const struct wm_trace *trace, struct wm_belts *belts, char *out, size_t out_bytes);

#endif
