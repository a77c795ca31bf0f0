/* Single things that stand out: who made others wait, the slowest calls, the dearest edges. */
#include "tools/report/parts.h"
#include "tools/text/units.h"

enum { DELAYS_SHOWN = 5, EDGES_SHOWN = 5 };

static void what_cell(struct wm_table *table, const struct wm_sheet *sheet, const struct wm_delay *delay)
{
    char place[128];

    if (delay->computing) {
        wm_table_cell(table, "computing");
        return;
    }
    wm_place_text(sheet->trace, delay->cause_node, place, sizeof place);
    wm_table_cell(table, "in %s %s", wm_operation_name((enum wm_operation)delay->cause_operation),
                  delay->cause_node == 0 ? "(native)" : place);
}

void wm_sheet_print_delays(const struct wm_sheet *sheet)
{
    static const char *const names[] = {"rank",   "others waited",  "calls", "too long by",
                                        "it was", "they waited in", NULL};
    const struct wm_analysis *analysis = sheet->analysis;
    struct wm_table table;
    char place[128];

    if (analysis->delay_count > 0)
        wm_sheet_head(sheet, "Who made others wait, and where it was too long, on the mean, meanwhile");
    wm_table_init(&table, "rrrrll");
    wm_sheet_name_columns(&table, names);
    for (size_t i = 0; i < analysis->delay_count && i < DELAYS_SHOWN; i++) {
        const struct wm_delay *delay = &analysis->delays[i];

        wm_table_cell(&table, "%d", delay->rank);
        wm_table_cell(&table, "%s", wm_time_text(delay->cost_ns).text);
        wm_table_cell(&table, "%s", wm_count_text(delay->instances).text);
        wm_table_cell(&table, "%s",
                      wm_time_text(delay->instances ? delay->excess_ns / (int64_t)delay->instances : 0).text);
        what_cell(&table, sheet, delay);
        wm_place_text(sheet->trace, delay->node, place, sizeof place);
        wm_table_cell(&table, "%s %s", wm_operation_name((enum wm_operation)delay->operation),
                      delay->node == 0 ? "(native)" : place);
    }
    wm_table_print(&table, sheet->page);
}

void wm_sheet_print_slow(const struct wm_sheet *sheet)
{
    static const char *const names[] = {"number",   "bytes", "took",      "skew",         "last rank",
                                        "begun at", "place", "operation", "communicator", NULL};
    struct wm_table table;
    char place[128];

    if (sheet->analysis->slow_count > 0)
        wm_sheet_head(sheet, "Slowest calls: first rank in to last rank out; skew is first in to last in");
    wm_table_init(&table, "rrrrrrlll");
    wm_sheet_name_columns(&table, names);
    for (int i = 0; i < sheet->analysis->slow_count; i++) {
        const struct wm_slow *slow = &sheet->analysis->slow[i];

        wm_place_text(sheet->trace, slow->node, place, sizeof place);
        wm_table_cell(&table, "#%u", slow->sequence);
        wm_table_cell(&table, "%s", wm_bytes_text(slow->bytes).text);
        wm_table_cell(&table, "%s", wm_time_text(slow->duration_ns).text);
        wm_table_cell(&table, "%s", wm_time_text(slow->skew_ns).text);
        wm_table_cell(&table, "%d", slow->last_rank);
        wm_table_cell(&table, "%s", wm_time_text(slow->begin_ns).text);
        wm_table_cell(&table, "%s", slow->node == 0 ? "native" : place);
        wm_table_cell(&table, "%s", wm_operation_name((enum wm_operation)slow->operation));
        wm_table_cell(&table, "%s", wm_sheet_communicator(sheet, slow->communicator));
    }
    wm_table_print(&table, sheet->page);
}

static void edge_row(struct wm_table *table, const struct wm_sheet *sheet, struct wm_edge_cost *edge, bool paths)
{
    char place[128], source[256];

    wm_table_cell(table, "%d → %d", edge->source, edge->destination);
    wm_table_cell(table, "%s", wm_count_text(edge->messages).text);
    wm_table_cell(table, "%s", wm_bytes_text(edge->bytes).text);
    wm_table_cell(table, "%s", wm_time_text(edge->wait_ns).text);
    wm_table_cell(table, "%s", wm_time_text(edge->transfer_ns).text);
    if (paths) {
        wm_table_cell(table, "%s", wm_share_text((int64_t)edge->critical, (int64_t)edge->instances).text);
        wm_table_cell(table, "%s", edge->slack_ns.count ? wm_time_text(wm_spread_at(&edge->slack_ns, 50)).text : "-");
    }
    wm_place_text(sheet->trace, edge->node, place, sizeof place);
    wm_source_text(sheet->trace, edge->node, source, sizeof source);
    wm_table_cell(table, "%s", place);
    wm_table_cell(table, "%s", source);
}

void wm_sheet_print_edges(const struct wm_sheet *sheet)
{
    static const char *const names[] = {"edge", "messages", "bytes", "wait", "transfer", "place", "source", NULL};
    static const char *const names_with_paths[] = {"edge",     "messages", "bytes", "wait",   "transfer",
                                                   "critical", "slack",    "place", "source", NULL};
    struct wm_analysis *analysis = sheet->analysis;
    bool paths = analysis->path_count > 0;
    struct wm_table table;

    if (analysis->edge_count > 0)
        wm_sheet_head(sheet, "Dearest edges: time attributed to messages from one rank to another, at both ends");
    wm_table_init(&table, paths ? "rrrrrrrll" : "rrrrrll");
    wm_sheet_name_columns(&table, paths ? names_with_paths : names);
    for (size_t i = 0; i < analysis->edge_count && i < EDGES_SHOWN; i++)
        edge_row(&table, sheet, &analysis->edges[i], paths);
    wm_table_print(&table, sheet->page);
}
