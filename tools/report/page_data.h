/* What the page draws beyond the report's sums, collected while a trace is analysed: a timeline of all ranks, lateness
 * by rank and instance, and how long each instance took. Memory is bounded whatever the size of the trace: some 150 MB.
 *
 *     struct wm_page_data *data = wm_page_data_new(trace);
 *     wm_analysis_make(&analysis, trace, wm_page_data_observer(data));
 *     wm_report_html_write(out, report, data, &error);
 *     wm_page_data_free(data);
 */
#ifndef WM_PAGE_DATA_H
#define WM_PAGE_DATA_H

#include <stddef.h>
#include <stdio.h>
#include "tools/analysis/observer.h"

struct wm_page_data;

/* Empty, for this trace, which must live as long. NULL: out of memory. */
struct wm_page_data *wm_page_data_new(struct wm_trace *trace);
/* The observer that fills it; lives as long as the data. NULL of NULL. */
const struct wm_observer *wm_page_data_observer(struct wm_page_data *data);
/* NULL is allowed. */
void wm_page_data_free(struct wm_page_data *data);

/* Print one JSON value each, safe between HTML tags, of at most about `budget_bytes`. 0 or -WM_ENOMEM.
 *
 * The timeline: "ranks" ([rank, host, start_ns, end_ns]), "marks" ([lane, time_ns, index of its name]), "mark_names",
 * "marks_total", and the members that tools/report/page_timeline.h describes, with those of page_regions.h where there
 * are regions; a lane is a rank read, in order.
 * The others: tools/report/page_lateness.h, tools/report/page_instances.h; the instances need another pass through the
 * trace. */
int wm_page_data_print_timeline(struct wm_page_data *data, size_t budget_bytes, FILE *out);
int wm_page_data_print_lateness(struct wm_page_data *data, size_t budget_bytes, FILE *out);
int wm_page_data_print_instances(struct wm_page_data *data, size_t budget_bytes, FILE *out);

#endif
