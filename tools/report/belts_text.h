/* Conveyors on the report's page. */
#ifndef WM_BELTS_TEXT_H
#define WM_BELTS_TEXT_H

#include "tools/analysis/belts.h"
#include "tools/text/table.h"

/* Print a section for each belt: its runs, its hops, what blocks it, its watched items, who sends to whom. */
void wm_belts_print(const struct wm_page *page, const struct wm_trace *trace, struct wm_belts *belts);

#endif
