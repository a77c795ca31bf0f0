/* Reads a damaged trace by all that reads traces, and checks what holds of every trace. */
#include "tests/tracer/fuzz_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/analysis/analysis.h"
#include "tools/analysis/observer.h"
#include "tools/report/report.h"
#include "tools/report/html.h"
#include "tools/report/json.h"
#include "tracer/reader.h"

/* A region's pieces, as they come: from its end backwards, without gap or overlap. */
struct pieces {
    const struct wm_region *region;
    int64_t low_ns;
    uint64_t instances, outermost;
    const char *fault;
};

static int take_piece(void *context, const struct wm_instance *instance, const struct wm_region *region,
                      const struct wm_cost_piece *piece)
{
    struct pieces *pieces = context;

    (void)instance;
    if (piece->begin_ns >= piece->end_ns)
        pieces->fault = "a piece has no length";
    if (piece->begin_ns < region->enter_ns || piece->end_ns > region->leave_ns)
        pieces->fault = "a piece lies outside of its region";
    if (pieces->region != region && pieces->region != NULL && pieces->low_ns != pieces->region->enter_ns)
        pieces->fault = "pieces do not cover their region";
    if ((pieces->region == region ? pieces->low_ns : region->leave_ns) != piece->end_ns)
        pieces->fault = "pieces do not meet";
    pieces->region = region;
    pieces->low_ns = piece->begin_ns;
    return 0;
}

static int take_instance(void *context, const struct wm_instance *instance)
{
    struct pieces *pieces = context;

    if (pieces->region != NULL && pieces->low_ns != pieces->region->enter_ns)
        pieces->fault = "pieces do not cover their region";
    pieces->region = NULL;
    pieces->instances++;
    for (size_t i = 0; i < instance->region_count; i++)
        pieces->outermost += instance->regions[i].outermost;
    return 0;
}

static const char *check_records(const struct wm_trace *trace)
{
    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];
        uint64_t seen = 0;

        for (uint64_t number = 0; wm_trace_next(rank, &number) != NULL; seen++)
            ;
        if (seen + rank->unknown_count != rank->count)
            return "records read and left out are not all";
        if (rank->count * sizeof(struct wm_trace_record) > rank->mapping_bytes)
            return "more records than the file has";
        if (rank->rank >= trace->job_ranks)
            return "a rank lies beyond the job";
    }
    return NULL;
}

static const char *check_sums(const struct wm_trace *trace, const struct wm_analysis *analysis,
                              const struct pieces *pieces)
{
    uint64_t stored = 0, calls = 0, regions = 0;

    for (int i = 0; i < trace->rank_count; i++)
        stored += trace->ranks[i].count;
    if (analysis->residual_ns != 0)
        return "a residual is left";
    if (analysis->events != stored)
        return "events are not the records";
    for (size_t i = 0; i < analysis->line_count; i++) {
        const struct wm_line *line = &analysis->lines[i];

        calls += line->visited ? line->calls : 0;
        regions += line->regions;
        if (line->visited &&
            line->time_ns != line->late_ns + line->inside_ns + line->transfer_ns + line->work_ns + line->overhead_ns)
            return "a line's parts are not its time";
        if (line->messages > stored || line->calls > stored)
            return "a line counts more than there are records";
    }
    if (calls > stored || regions > stored || analysis->unmatched > stored || analysis->incomplete > stored)
        return "more is counted than there are records";
    return pieces->fault;
}

static const char *check_report(const json_t *report)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    struct wm_terminal terminal = {file, 110, false};
    const char *fault;

    wm_report_print(&terminal, report);
    fclose(file);
    fault = strstr(text, "Finding: ") == NULL          ? "a report has no finding"
            : strstr(text, "About this trace") == NULL ? "a report does not end"
                                                       : NULL;
    free(text);
    return fault;
}

static const char *check_json(const json_t *report)
{
    char *text = json_dumps(report, 0);
    const char *fault = text == NULL ? "a report has no JSON" : NULL;

    free(text);
    return fault;
}

static const char *check_forms(struct wm_trace *trace, struct wm_analysis *analysis)
{
    json_t *report = wm_report_json(trace, analysis);
    const char *fault = report == NULL ? "a report has no object" : check_report(report);

    if (fault == NULL)
        fault = check_json(report);
    json_decref(report);
    return fault;
}

static const char *write_page(const json_t *report, struct wm_page_data *data)
{
    struct wm_error error = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    int rc = wm_report_html_write(file, report, data, &error);
    const char *fault;

    fclose(file);
    fault = rc < 0                            ? "a page is not written"
            : strstr(text, "</html>") == NULL ? "a page does not end"
            : length > 5000000                ? "a page has more than 5 MB"
                                              : NULL;
    free(text);
    return fault;
}

/* The page looks at all instances itself. */
static const char *check_page(struct wm_trace *trace)
{
    struct wm_page_data *data = wm_page_data_new(trace);
    struct wm_analysis *analysis = NULL;
    json_t *report = NULL;
    const char *fault = "a page's analysis fails";

    if (data != NULL && wm_analysis_make(&analysis, trace, wm_page_data_observer(data)) == 0)
        report = wm_report_json(trace, analysis);
    if (report != NULL)
        fault = write_page(report, data);
    json_decref(report);
    wm_analysis_free(analysis);
    wm_page_data_free(data);
    return fault;
}

const char *fuzz_check_directory(const char *directory)
{
    struct pieces pieces = {0};
    const struct wm_observer observer = {&pieces, take_piece, take_instance};
    struct wm_analysis *analysis = NULL;
    struct wm_error error = {0};
    struct wm_trace *trace;
    const char *fault;
    int rc = wm_trace_open(&trace, directory, &error);

    if (rc < 0)
        return rc == -WM_ETRACE && error.text[0] != '\0' ? NULL : "a trace is refused without a sentence";
    fault = check_records(trace);
    rc = wm_analysis_make(&analysis, trace, &observer);
    if (rc < 0)
        fault = "the analysis fails";
    if (rc == 0 && fault == NULL)
        fault = check_sums(trace, analysis, &pieces);
    if (rc == 0 && fault == NULL)
        fault = check_forms(trace, analysis);
    if (rc == 0 && fault == NULL)
        fault = check_page(trace);
    wm_analysis_free(analysis);
    wm_trace_close(trace);
    return fault;
}
