/* Regions of superblocks for the page: a timeline of their own, which it draws beneath the calls. */
#ifndef WM_PAGE_REGIONS_H
#define WM_PAGE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "tracer/reader.h"

/* Some rank has defined a superblock. */
bool wm_page_has_regions(const struct wm_trace *trace);

/* Print a further member of a JSON object, of at most about `budget_bytes`, with a comma before it: "regions", with the
 * names of "superblocks" and the members that page_timeline.h describes. A look's kind has no meaning; its node is a
 * superblock, its region an enum wm_trace_region. 0 or -WM_ENOMEM. */
int wm_page_regions_print(struct wm_trace *trace, size_t budget_bytes, FILE *out);

#endif
