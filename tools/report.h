/* The report of a traced run, as text. */
#ifndef WM_REPORT_H
#define WM_REPORT_H

#include "tools/analysis.h"
#include "tools/table.h"

/* Print the report: the finding, the map's lines, native calls, slow calls, dear edges, the map server, what
 * was in flight, and what the reader should know about the trace itself. */
void wm_report_print(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis);

/* `waymark report DIR`, behind the command line that tools/report_command.c reads. Returns the exit status: 0, or 1,
 * with a sentence on stderr, for a directory that cannot be reported on. */
int wm_report_directory(const char *directory);

#endif
