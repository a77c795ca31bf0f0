/* waymark report: reads a trace directory and writes where the time went, in the form that is asked for. */
#include "tools/report/report.h"

#include <stdio.h>
#include <string.h>
#include "tools/text/output.h"
#include "tools/analysis/progress.h"
#include "tools/report/html.h"
#include "tools/report/json.h"

/* All that a form of the report is written from. */
struct material {
    struct wm_trace *trace;
    struct wm_analysis *analysis;
    struct wm_page_data *collected; /* HTML */
};

static int out_of_memory(struct wm_error *error)
{
    return wm_error_set(error, -WM_ENOMEM, "out of memory");
}

static int write_text(FILE *file, const json_t *report, struct wm_page_data *collected, struct wm_error *error)
{
    struct wm_terminal terminal = wm_terminal_of(file);

    (void)collected;
    (void)error;
    wm_report_print(&terminal, report);
    return 0;
}

static int write_json(FILE *file, const json_t *report, struct wm_page_data *collected, struct wm_error *error)
{
    (void)collected;
    (void)error;
    json_dumpf(report, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)); /* a full disk is seen when the file is closed */
    fputc('\n', file);
    return 0;
}

static const struct {
    int (*write)(FILE *file, const json_t *report, struct wm_page_data *collected, struct wm_error *error);
    bool collects;
} formats[WM_REPORT_FORMATS] = {
    [WM_REPORT_TEXT] = {write_text, false},
    [WM_REPORT_HTML] = {wm_report_html_write, true},
    [WM_REPORT_JSON] = {write_json, false},
};

static int analyse(struct material *material, bool collects, struct wm_error *error)
{
    struct wm_progress progress;
    int rc;

    if (collects && (material->collected = wm_page_data_new(material->trace)) == NULL)
        return out_of_memory(error);
    wm_progress_begin(&progress, collects ? wm_page_data_observer(material->collected) : NULL);
    rc = wm_analysis_make(&material->analysis, material->trace, &progress.observer);
    wm_progress_end(&progress);
    return rc < 0 ? out_of_memory(error) : 0;
}

static int write_report(const struct wm_report_request *request, struct material *material, struct wm_error *error)
{
    json_t *report = wm_report_json(material->trace, material->analysis);
    struct wm_output output;
    int rc = -WM_ETRACE;

    if (report == NULL || (request->under != NULL && json_object_set(report, "under", request->under) < 0)) {
        json_decref(report);
        return out_of_memory(error);
    }
    if (wm_output_open(&output, request->output, error) < 0)
        goto out;
    if (formats[request->format].write(output.file, report, material->collected, error) == 0)
        rc = wm_output_commit(&output, error);
    else
        wm_output_abandon(&output);
out:
    json_decref(report);
    return rc;
}

int wm_report_run(const struct wm_report_request *request)
{
    struct material material = {0};
    struct wm_error error = {0};
    int rc = wm_trace_open(&material.trace, request->directory, &error);

    if (rc == 0)
        rc = analyse(&material, formats[request->format].collects, &error);
    if (rc == 0)
        rc = write_report(request, &material, &error);
    if (rc < 0)
        fprintf(stderr, "waymark report: %s\n", error.text);
    wm_page_data_free(material.collected);
    wm_analysis_free(material.analysis);
    wm_trace_close(material.trace);
    return rc < 0;
}
