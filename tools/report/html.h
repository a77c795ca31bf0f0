/* The report as a page: one HTML file that needs nothing else, for any browser, offline. Its look and its behaviour are
 * in tools/report/page/, its use in docs/page.md. */
#ifndef WM_REPORT_HTML_H
#define WM_REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>
#include "tools/report/page_data.h"

/* Write the page: the report's object (tools/report/json.h) and what was collected while the trace was analysed, NULL:
 * nothing. Under 5 MB whatever the trace. 0; -WM_ENOMEM or -WM_ETRACE with a sentence (the file cannot be written). */
int wm_report_html_write(FILE *out, const json_t *report, struct wm_page_data *collected, struct wm_error *error);

#endif
