/* waymark report: reads a trace directory and prints where the time went. */
#include "tools/report.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: waymark report DIR\n"
    "\n"
    "Say where the time of a traced run went, on the lines of its path map. DIR is the\n"
    "directory that 'waymark run -t DIR' wrote; the job may have crashed.\n"
    "\n"
    "What the columns mean (all times are sums over ranks):\n"
    "  late      waiting for the last rank that the result depends on to arrive\n"
    "  inside    waiting for the other side of a message after that\n"
    "  transfer  from when both sides of a message were ready until it was there\n"
    "  own       operators, copies and steps on the rank itself\n"
    "  for rank  the rank that was waited for most, and its share of that wait\n"
    "\n"
    "  --help    print this\n";

static int complain(const char *sentence)
{
    fprintf(stderr, "waymark report: %s\n", sentence);
    return 1;
}

static int report(const char *directory)
{
    struct wm_page page = wm_page_of(stdout);
    struct wm_analysis *analysis = NULL;
    struct wm_trace *trace;
    struct wm_error error = {0};

    if (wm_trace_open(&trace, directory, &error) < 0)
        return complain(error.text);
    if (wm_analysis_make(&analysis, trace) < 0) {
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

int wm_tool_report(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc != 2 || argv[1][0] == '-') {
        if (argc >= 2 && argv[1][0] == '-')
            fprintf(stderr, "waymark report: unknown option '%s'\n", argv[1]);
        fputs(usage, stderr);
        return 2;
    }
    return report(argv[1]);
}
