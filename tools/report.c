/* waymark report: reads a trace directory and prints where the time went. */
#include "tools/report.h"

#include <stdio.h>

static int complain(const char *sentence)
{
    fprintf(stderr, "waymark report: %s\n", sentence);
    return 1;
}

int wm_report_directory(const char *directory)
{
    struct wm_page page = wm_page_of(stdout);
    struct wm_analysis *analysis = NULL;
    struct wm_trace *trace;
    struct wm_error error = {0};

    if (wm_trace_open(&trace, directory, &error) < 0)
        return complain(error.text);
    if (wm_analysis_make(&analysis, trace, NULL) < 0) {
        wm_trace_close(trace);
        return complain("out of memory");
    }
    wm_report_print(&page, trace, analysis);
    wm_analysis_free(analysis);
    wm_trace_close(trace);
    if (fflush(stdout) != 0)
        return complain("the report could not be written");
    return 0;
}
