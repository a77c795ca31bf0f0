/* How calls of one line differ: medians and 95th percentiles, and what they could be. */
#include "tools/report/parts.h"
#include "tools/text/units.h"

enum { MEDIAN = 50, HIGH = 95 };

static bool is_wanted(const struct wm_line *line)
{
    return line->visited && line->outermost && line->duration_ns.count > 0;
}

static bool any_overlaps(const struct wm_analysis *analysis)
{
    for (size_t i = 0; i < analysis->line_count; i++)
        if (is_wanted(&analysis->lines[i]) && analysis->lines[i].flights > 0)
            return true;
    return false;
}

static void spread_cells(struct wm_table *table, struct wm_spread *spread)
{
    if (spread->count == 0) {
        wm_table_cell(table, "-");
        wm_table_cell(table, "-");
        return;
    }
    wm_table_cell(table, "%s", wm_time_text(wm_spread_at(spread, MEDIAN)).text);
    wm_table_cell(table, "%s", wm_time_text(wm_spread_at(spread, HIGH)).text);
}

static void spread_row(struct wm_table *table, const struct wm_sheet *sheet, struct wm_line *line, bool overlaps)
{
    char place[128];

    spread_cells(table, &line->duration_ns);
    spread_cells(table, &line->wait_ns);
    spread_cells(table, &line->service_ns);
    wm_table_cell(table, "%s", wm_share_text(line->excess_ns, line->floor_ns + line->excess_ns).text);
    wm_table_cell(table, "%.0f %%", 100 * line->imbalance);
    if (overlaps && line->flights > 0)
        wm_table_cell(table, "%s", wm_share_text(line->flight_ns - line->flight_wait_ns, line->flight_ns).text);
    else if (overlaps)
        wm_table_cell(table, "-");
    wm_table_cell(table, "%s", wm_count_text(line->duration_ns.count).text);
    wm_place_text(sheet->trace, line->node, place, sizeof place);
    wm_table_cell(table, "%s %s", wm_operation_name((enum wm_operation)line->operation),
                  line->node == 0 ? "(native)" : place);
}

void wm_sheet_print_spreads(const struct wm_sheet *sheet)
{
    static const char *const names[] = {"call",   "p95",    "wait", "p95",  "service", "p95",
                                        "excess", "uneven", "n",    "what", NULL};
    static const char *const names_with_overlap[] = {"call",   "p95",    "wait",    "p95", "service", "p95",
                                                     "excess", "uneven", "overlap", "n",   "what",    NULL};
    struct wm_analysis *analysis = sheet->analysis;
    bool overlaps = any_overlaps(analysis), any = false;
    struct wm_table table;

    wm_table_init(&table, overlaps ? "rrrrrrrrrrl" : "rrrrrrrrrl");
    wm_sheet_name_columns(&table, overlaps ? names_with_overlap : names);
    for (size_t i = 0; i < analysis->line_count; i++)
        if (is_wanted(&analysis->lines[i])) {
            spread_row(&table, sheet, &analysis->lines[i], overlaps);
            any = true;
        }
    if (any)
        wm_sheet_head(sheet, "Calls, and a rank's wait and service in one: median and 95th percentile");
    wm_table_print(&table, sheet->page);
}
