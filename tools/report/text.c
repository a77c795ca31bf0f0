/* The report as text: the findings first, then sections in order. */
#include <stdio.h>
#include <string.h>
#include "tools/report/conveyors_text.h"
#include "tools/report/facts.h"
#include "tools/report/report.h"
#include "tools/report/parts.h"
#include "tools/text/units.h"

void wm_sheet_head(const struct wm_sheet *sheet, const char *text)
{
    fprintf(sheet->page->file, "\n%s%s%s\n", wm_page_bold(sheet->page), text, wm_page_plain(sheet->page));
}

void wm_sheet_name_columns(struct wm_table *table, const char *const *names)
{
    for (; *names != NULL; names++)
        wm_table_cell(table, "%s", *names);
}

const char *wm_sheet_communicator(const struct wm_sheet *sheet, uint32_t key)
{
    const char *name = sheet->trace->communicators[key].name;

    return name[0] != '\0' ? name : "(unnamed)";
}

/* How sure that is, and of what, unless the sentence says so. */
static void print_confidence(const struct wm_sheet *sheet, const struct wm_finding *finding)
{
    char line[256];

    if (strstr(finding->sentence, finding->because) != NULL)
        snprintf(line, sizeof line, "(%d %% sure)", finding->confidence);
    else
        snprintf(line, sizeof line, "(%d %% sure: %s)", finding->confidence, finding->because);
    fputs(wm_page_dim(sheet->page), sheet->page->file);
    wm_page_wrap(sheet->page, "         ", line);
    fputs(wm_page_plain(sheet->page), sheet->page->file);
}

static void print_findings(const struct wm_sheet *sheet)
{
    struct wm_finding findings[WM_FINDINGS_MAX];
    int count = wm_findings_make(sheet->trace, sheet->analysis, findings);

    for (int i = 0; i < count; i++) {
        if (i == 0)
            fputs(wm_page_bold(sheet->page), sheet->page->file);
        wm_page_wrap(sheet->page, i == 0 ? "Finding: " : "   Then: ", findings[i].sentence);
        if (i == 0)
            fputs(wm_page_plain(sheet->page), sheet->page->file);
        if (findings[i].confidence < 100)
            print_confidence(sheet, &findings[i]);
    }
    fputc('\n', sheet->page->file);
}

static void print_efficiency(const struct wm_sheet *sheet)
{
    const struct wm_efficiency *e = &sheet->analysis->efficiency;
    char line[256];

    if (e->parallel <= 0)
        return;
    snprintf(line, sizeof line,
             "efficiency %.0f %%: load balance %.0f %%, and communication %.0f %% (serialisation %.0f %%, transfer "
             "%.0f %%)",
             100 * e->parallel, 100 * e->load_balance, 100 * e->communication, 100 * e->serialisation,
             100 * e->transfer);
    wm_page_wrap(sheet->page, "", line);
}

static void print_summary(const struct wm_sheet *sheet)
{
    const struct wm_trace *trace = sheet->trace;
    const struct wm_analysis *analysis = sheet->analysis;
    char line[768];
    const char *program = trace->ranks[0].program;

    snprintf(line, sizeof line, "%.200s: %s on %s for %s; map: %.200s; %s, %s lost",
             program[0] ? program : "(unknown program)", wm_number_text((uint64_t)trace->job_ranks, "rank").text,
             wm_number_text((uint64_t)wm_facts_hosts(trace), "host").text, wm_time_text(analysis->span_ns).text,
             trace->map_file ? trace->map_file : "none", wm_number_text(analysis->events, "event").text,
             analysis->lost ? wm_count_text(analysis->lost).text : "none");
    wm_page_wrap(sheet->page, "", line);
    print_efficiency(sheet);
}

void wm_report_print(const struct wm_page *page, const struct wm_trace *trace, struct wm_analysis *analysis)
{
    const struct wm_sheet sheet = {page, trace, analysis};

    print_findings(&sheet);
    print_summary(&sheet);
    wm_sheet_print_ends(&sheet);
    wm_sheet_print_lines(&sheet);
    wm_sheet_print_native(&sheet);
    wm_sheet_print_spreads(&sheet);
    wm_sheet_print_delays(&sheet);
    wm_sheet_print_slow(&sheet);
    wm_sheet_print_edges(&sheet);
    wm_conveyors_print(page, trace, analysis->conveyors);
    wm_sheet_print_facts(&sheet);
}
