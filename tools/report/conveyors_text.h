/* Conveyors on the report's page. */
#ifndef WM_CONVEYORS_TEXT_H
#define WM_CONVEYORS_TEXT_H

#include "tools/analysis/conveyors.h"
#include "tools/text/table.h"

/* Print a section for each conveyor: its runs, its hops, what blocks it, its watched items, who sends to whom. */
void wm_conveyors_print(const struct wm_page *page, const struct wm_trace *trace, struct wm_conveyor_table *conveyors);

#endif
