/* Where the time of each line of the map goes, and of calls that no line is about. */
#include "tools/report/parts.h"
#include "tools/text/units.h"

static void rank_cell(struct wm_table *table, const struct wm_sheet *sheet, const struct wm_line *line)
{
    double share;
    int late = wm_line_late_rank(line, sheet->trace->job_ranks, &share);

    if (late < 0)
        wm_table_cell(table, "-");
    else
        wm_table_cell(table, "%d (%.0f %%)", late, 100 * share);
}

static bool has_paths(const struct wm_sheet *sheet)
{
    return sheet->analysis->path_count > 0;
}

static void line_row(struct wm_table *table, const struct wm_sheet *sheet, const struct wm_line *line)
{
    const struct wm_trace *trace = sheet->trace;
    const struct wm_trace_node *node = line->node < trace->node_count ? &trace->nodes[line->node] : NULL;
    char source[256];

    if (node != NULL && node->line > 0)
        wm_table_cell(table, "%d", node->line);
    else
        wm_table_cell(table, "?");
    wm_table_cell(table, "%s", wm_count_text(line->calls).text);
    wm_table_cell(table, "%s", wm_bytes_text(line->bytes).text);
    wm_table_cell(table, "%s", wm_time_text(line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->late_ns, line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->inside_ns, line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->transfer_ns, line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->work_ns + line->overhead_ns, line->time_ns).text);
    if (has_paths(sheet))
        wm_table_cell(table, "%s", wm_share_text(line->critical_ns, sheet->analysis->path_ns).text);
    rank_cell(table, sheet, line);
    wm_source_text(trace, line->node, source, sizeof source);
    wm_table_cell(table, "%s%s", line->visited ? "" : "  ", source);
}

/* One table an operation: lines are sorted so. */
void wm_sheet_print_lines(const struct wm_sheet *sheet)
{
    static const char *const names[] = {"line",     "calls", "bytes",    "time",   "late", "inside",
                                        "transfer", "own",   "for rank", "source", NULL};
    static const char *const names_with_paths[] = {"line",     "calls", "bytes",    "time",     "late",   "inside",
                                                   "transfer", "own",   "critical", "for rank", "source", NULL};
    const struct wm_analysis *analysis = sheet->analysis;
    struct wm_table table;
    size_t end;

    for (size_t i = 0; i < analysis->line_count && analysis->lines[i].node != 0; i = end) {
        char title[256];

        snprintf(title, sizeof title, "%s, by line of %.160s (times are sums over ranks)",
                 wm_operation_name((enum wm_operation)analysis->lines[i].operation),
                 sheet->trace->map_file ? sheet->trace->map_file : "the map");
        wm_sheet_head(sheet, title);
        wm_table_init(&table, has_paths(sheet) ? "rrrrrrrrrrl" : "rrrrrrrrrl");
        wm_sheet_name_columns(&table, has_paths(sheet) ? names_with_paths : names);
        for (end = i; end < analysis->line_count && analysis->lines[end].node != 0 &&
                      analysis->lines[end].operation == analysis->lines[i].operation;
             end++)
            line_row(&table, sheet, &analysis->lines[end]);
        wm_table_print(&table, sheet->page);
    }
}

void wm_sheet_print_native(const struct wm_sheet *sheet)
{
    static const char *const names[] = {"calls", "bytes", "time", "late", "own", "for rank", "operation", NULL};
    struct wm_table table;
    bool any = false;

    wm_table_init(&table, "rrrrrrl");
    wm_sheet_name_columns(&table, names);
    for (size_t i = 0; i < sheet->analysis->line_count; i++) {
        const struct wm_line *line = &sheet->analysis->lines[i];

        if (line->node != 0)
            continue;
        any = true;
        wm_table_cell(&table, "%s", wm_count_text(line->calls).text);
        wm_table_cell(&table, "%s", wm_bytes_text(line->bytes).text);
        wm_table_cell(&table, "%s", wm_time_text(line->time_ns).text);
        wm_table_cell(&table, "%s", wm_share_text(line->late_ns, line->time_ns).text);
        wm_table_cell(&table, "%s", wm_share_text(line->time_ns - line->late_ns, line->time_ns).text);
        rank_cell(&table, sheet, line);
        wm_table_cell(&table, "%s", wm_operation_function((enum wm_operation)line->operation));
    }
    if (any)
        wm_sheet_head(sheet, "Native calls: no rule of the map applies to them");
    wm_table_print(&table, sheet->page);
}
