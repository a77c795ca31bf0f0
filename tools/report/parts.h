/* The sections of the report as text, each in a file of its own; none prints anything when it has nothing to say. */
#ifndef WM_REPORT_PARTS_H
#define WM_REPORT_PARTS_H

#include "tools/findings/findings.h"
#include "tools/text/table.h"

/* What every section is printed from. */
struct wm_sheet {
    const struct wm_page *page;
    const struct wm_trace *trace;
    struct wm_analysis *analysis; /* its spreads are sorted when they are read */
};

/* A heading with an empty line before it; names as the first row of a table, ended by NULL. */
void wm_sheet_head(const struct wm_sheet *sheet, const char *text);
void wm_sheet_name_columns(struct wm_table *table, const char *const *names);
/* Its name, or "(unnamed)". */
const char *wm_sheet_communicator(const struct wm_sheet *sheet, uint32_t key);

void wm_sheet_print_ends(const struct wm_sheet *sheet);    /* what was in flight, and who died */
void wm_sheet_print_lines(const struct wm_sheet *sheet);   /* where the time of each line of the map goes */
void wm_sheet_print_native(const struct wm_sheet *sheet);  /* the same of calls without a rule */
void wm_sheet_print_spreads(const struct wm_sheet *sheet); /* how calls differ: medians and percentiles */
void wm_sheet_print_delays(const struct wm_sheet *sheet);  /* who made others wait, doing what */
void wm_sheet_print_slow(const struct wm_sheet *sheet);
void wm_sheet_print_edges(const struct wm_sheet *sheet);
void wm_sheet_print_facts(const struct wm_sheet *sheet); /* of the trace itself, and what limits it */

#endif
