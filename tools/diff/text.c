/* A comparison as text. */
#include <stdio.h>
#include <string.h>
#include "tools/diff/show.h"
#include "tools/findings/findings.h"
#include "tools/text/units.h"

enum { EDGES_SHOWN = 12 };

static void heading(const struct wm_terminal *terminal, const char *text)
{
    fprintf(terminal->file, "\n%s%s%s\n", wm_terminal_bold(terminal), text, wm_terminal_plain(terminal));
}

static int64_t whole(double ns)
{
    return (int64_t)(ns + 0.5);
}

static void ratio_cell(struct wm_table *table, const struct wm_ratio *ratio)
{
    if (ratio->ratio > 0)
        wm_table_cell(table, "%.2f", ratio->ratio);
    else
        wm_table_cell(table, "-");
}

static void ratio_cells(struct wm_table *table, const struct wm_ratio *ratio)
{
    ratio_cell(table, ratio);
    if (ratio->known)
        wm_table_cell(table, "%.2f-%.2f", ratio->low, ratio->high);
    else
        wm_table_cell(table, "-");
}

static void time_cells(struct wm_table *table, const struct wm_diff_row *row, double a, double b)
{
    wm_table_cell(table, "%s", row->a != NULL ? wm_time_text(whole(a)).text : "-");
    wm_table_cell(table, "%s", row->b != NULL ? wm_time_text(whole(b)).text : "-");
}

static void count_cell(struct wm_table *table, const struct wm_diff_row *row)
{
    uint64_t a = row->a != NULL ? row->a->count : 0, b = row->b != NULL ? row->b->count : 0;

    if (a == b)
        wm_table_cell(table, "%s", wm_count_text(a).text);
    else
        wm_table_cell(table, "%s, %s", wm_count_text(a).text, wm_count_text(b).text);
}

static void one_sided_time(const struct wm_diff_row *row, double *a, double *b)
{
    *a = row->time.a;
    *b = row->time.b;
    if (row->a != NULL && row->b == NULL && row->a->count > 0)
        *a = row->a->time_ns / (double)row->a->count;
    if (row->b != NULL && row->a == NULL && row->b->count > 0)
        *b = row->b->time_ns / (double)row->b->count;
}

static void place_cell(struct wm_table *table, const struct wm_diff *diff, const struct wm_diff_row *row)
{
    char a[128] = "", b[128] = "";
    bool moved;

    if (row->a != NULL && row->a->node > 0)
        wm_place_text(diff->a->trace, row->a->node, a, sizeof a);
    if (row->b != NULL && row->b->node > 0)
        wm_place_text(diff->b->trace, row->b->node, b, sizeof b);
    moved = a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
    wm_table_cell(table, "%s%s%s", moved ? a : "", moved ? " → " : "", b[0] != '\0' ? b : a[0] != '\0' ? a : "-");
}

/* The size of the communicators of all calls, or 0 when they differ. */
static int common_members(const struct wm_diff *diff)
{
    int members = 0;

    for (size_t i = 0; i < diff->count; i++) {
        const struct wm_series *series = diff->rows[i].b != NULL ? diff->rows[i].b : diff->rows[i].a;

        if (series->kind != WM_SERIES_CALL)
            continue;
        if (members != 0 && members != series->members)
            return 0;
        members = series->members;
    }
    return members;
}

static void add_row(struct wm_table *table, const struct wm_diff *diff, const struct wm_diff_row *row,
                    enum wm_series_kind kind)
{
    char text[512], *on;
    double a, b;

    wm_table_cell(table, "%s%s", wm_verdict_name(row->verdict), row->regressed ? " !" : "");
    ratio_cells(table, &row->time);
    one_sided_time(row, &a, &b);
    if (kind == WM_SERIES_CALL && (row->a == NULL || row->b == NULL))
        a = b = 0;
    if (kind == WM_SERIES_CALL && row->time.ratio <= 0) {
        wm_table_cell(table, "-");
        wm_table_cell(table, "-");
    } else {
        time_cells(table, row, a, b);
    }
    count_cell(table, row);
    if (kind == WM_SERIES_CALL) {
        ratio_cell(table, &row->service);
        ratio_cell(table, &row->mean);
    } else if (kind == WM_SERIES_LINE) {
        place_cell(table, diff, row);
    }
    wm_diff_row_text(diff, row, text, sizeof text);
    if (kind == WM_SERIES_CALL && common_members(diff) > 0 && (on = strstr(text, " on ")) != NULL)
        *on = '\0'; /* the heading says it */
    wm_table_cell(table, "%s", text);
}

static enum wm_series_kind kind_of(const struct wm_diff_row *row)
{
    return (row->b != NULL ? row->b : row->a)->kind;
}

static void print_rows(const struct wm_terminal *terminal, const struct wm_diff *diff, enum wm_series_kind kind)
{
    static const struct {
        const char *title, *alignment, *names[11];
    } tables[WM_SERIES_KINDS] = {
        {"Whole calls: median from the first rank in to the last rank out",
         "lrrrrrrrl",
         {"", "ratio", "95 %", "DIR1", "DIR2", "calls", "service", "mean", "call", NULL}},
        {"Lines of the map: mean of the time of all ranks in a call",
         "lrrrrrll",
         {"", "ratio", "95 %", "DIR1", "DIR2", "calls", "place", "line", NULL}},
        {"Edges: mean of the time charged to messages of a call, at both ends",
         "lrrrrrl",
         {"", "ratio", "95 %", "DIR1", "DIR2", "calls", "edge", NULL}},
    };
    struct wm_table table;
    size_t shown = 0, more = 0;
    char title[160];
    int members;

    wm_table_init(&table, tables[kind].alignment);
    for (int i = 0; tables[kind].names[i] != NULL; i++)
        wm_table_cell(&table, "%s", tables[kind].names[i]);
    for (size_t i = 0; i < diff->count; i++) {
        const struct wm_diff_row *row = &diff->rows[i];
        bool quiet = row->verdict != WM_VERDICT_FASTER && row->verdict != WM_VERDICT_SLOWER;

        if (kind_of(row) != kind)
            continue;
        if (kind == WM_SERIES_EDGE && quiet && shown >= EDGES_SHOWN) {
            more++;
            continue;
        }
        add_row(&table, diff, row, kind);
        shown++;
    }
    members = kind == WM_SERIES_CALL ? common_members(diff) : 0;
    snprintf(title, sizeof title, members > 0 ? "%s, on %d ranks" : "%s", tables[kind].title, members);
    if (shown > 0)
        heading(terminal, title);
    wm_table_print(&table, terminal);
    if (kind == WM_SERIES_EDGE && more + diff->edges_left_out > 0)
        fprintf(terminal->file,
                "  and %zu more edges in which no change is seen, %zu less dear ones that were not compared\n", more,
                diff->edges_left_out);
}

static void print_run(const struct wm_terminal *terminal, const char *name, const struct wm_samples *samples)
{
    const struct wm_trace *trace = samples->trace;
    char line[1024];

    snprintf(line, sizeof line, "%.300s: '%.80s' on %s, map %.200s; %s in %s a rank of %s in all (%s)",
             trace->directory, trace->ranks[0].program[0] ? trace->ranks[0].program : "?",
             wm_number_text((uint64_t)trace->job_ranks, "rank").text, trace->map_file ? trace->map_file : "none",
             wm_number_text(samples->calls, "call").text,
             wm_time_text(whole(samples->time_ns / trace->rank_count)).text,
             wm_time_text(samples->analysis->run_ns / trace->rank_count).text,
             wm_share_text(whole(samples->time_ns), samples->analysis->run_ns).text);
    wm_terminal_wrap(terminal, name, line);
}

static void print_runs(const struct wm_terminal *terminal, const struct wm_diff *diff)
{
    int64_t a = diff->a->analysis->span_ns, b = diff->b->analysis->span_ns;

    heading(terminal, "The runs");
    print_run(terminal, "  DIR1  ", diff->a);
    print_run(terminal, "  DIR2  ", diff->b);
    fprintf(terminal->file, "  from start to end: %s and %s, ratio %.2f; of one value each: no interval\n",
            wm_time_text(a).text, wm_time_text(b).text, a > 0 ? (double)b / (double)a : 0);
    if (diff->total.ratio > 0)
        fprintf(terminal->file, "  a rank in the calls compared: %s and %s, ratio %.2f\n",
                wm_time_text(whole(diff->total.a)).text, wm_time_text(whole(diff->total.b)).text, diff->total.ratio);
}

static void print_method(const struct wm_terminal *terminal, const struct wm_diff *diff)
{
    char text[1280];

    heading(terminal, "How to read it");
    snprintf(
        text, sizeof text,
        "Ratios are DIR2 / DIR1, above 1 is slower. 'service' is the ratio of medians without waiting for late ranks, "
        "'mean' that of mean rank times: where it differs from the first, rare long calls rule the total. Intervals "
        "hold 95 %%: percentile bootstrap of blocks of about n^(1/3) "
        "neighbouring calls, seeded. Of %zu comparisons about %.1f intervals miss 1 by chance where nothing changed, "
        "so 'faster' and 'slower' are said only where an interval for all of them together (Bonferroni) does not "
        "hold 1; else it is 'unclear'. The noise is that within the runs: to know what differs from run to run, "
        "compare two of the same map. '!' is a regression beyond %.3g %% in a row that takes at least %.0f %% of the "
        "second run.",
        diff->comparisons, 0.05 * (double)diff->comparisons, 100 * diff->threshold, 100 * WM_REGRESSION_SHARE);
    wm_terminal_wrap(terminal, "  ", text);
}

void wm_diff_print(const struct wm_terminal *terminal, const struct wm_diff *diff)
{
    char text[WM_DIFF_CHARS];

    wm_diff_sentence(diff, text, sizeof text);
    fputs(wm_terminal_bold(terminal), terminal->file);
    wm_terminal_wrap(terminal, "", text);
    fputs(wm_terminal_plain(terminal), terminal->file);
    if (diff->regressed) {
        snprintf(text, sizeof text, "Regression: %s became slower by more than %.3g %%.",
                 diff->total_regressed ? "the total" : "a call or line marked '!'", 100 * diff->threshold);
        wm_terminal_wrap(terminal, "", text);
    }
    print_runs(terminal, diff);
    for (int kind = 0; kind < WM_SERIES_KINDS; kind++)
        print_rows(terminal, diff, (enum wm_series_kind)kind);
    print_method(terminal, diff);
    fputs(wm_terminal_warn(terminal), terminal->file);
    for (int i = 0; wm_diff_warning(diff, i, text, sizeof text); i++)
        wm_terminal_wrap(terminal, "  warning: ", text);
    fputs(wm_terminal_plain(terminal), terminal->file);
}
