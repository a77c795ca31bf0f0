/* The report of a traced run: as text for a terminal, as a page of HTML, as JSON. */
#ifndef WM_REPORT_H
#define WM_REPORT_H

#include <jansson.h>
#include "tools/text/table.h"

/* In the order of the choices of --format (tools/report/command.c). */
enum wm_report_format { WM_REPORT_TEXT, WM_REPORT_HTML, WM_REPORT_JSON, WM_REPORT_FORMATS };

struct wm_report_request {
    const char *directory, *output; /* output: a file's name, or NULL: standard output */
    enum wm_report_format format;
    json_t *under; /* what the run would have taken under other maps (docs/report.md); NULL: nobody asks */
};

/* Print the report (tools/report/json.h) as text: the findings, what was in flight, the map's lines, native calls, who
 * made whom wait, slow calls, dear edges, conveyors, and what the reader should know about the trace itself. */
void wm_report_print(const struct wm_terminal *terminal, const json_t *report);

/* `waymark report DIR`, behind the command line that tools/report/command.c reads. Returns the exit status: 0, or 1,
 * with a sentence on stderr, for a directory that cannot be reported on or an output that cannot be written. */
int wm_report_run(const struct wm_report_request *request);

#endif
