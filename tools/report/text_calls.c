/* Single things that stand out: who made others wait, the slowest calls, the dearest edges. */
#include "tools/report/text.h"

#include "tools/text/units.h"

enum { DELAYS_SHOWN = 5, EDGES_SHOWN = 5 };

static struct wm_text_rows rows_of(const struct wm_text_report *text, const char *key, size_t most)
{
    return (struct wm_text_rows){json_object_get(text->report, key), most, NULL, NULL};
}

static void excess_cell(const struct wm_text_cell *cell)
{
    int64_t instances = wm_text_get(cell->row, "instances");

    wm_table_cell(cell->table, "%s",
                  wm_time_text(instances > 0 ? wm_text_get(cell->row, "excess_ns") / instances : 0).text);
}

static void cause_cell(const struct wm_text_cell *cell)
{
    int64_t node = wm_text_get(cell->row, "cause_node");
    char place[128] = "(native)";

    if (json_is_true(json_object_get(cell->row, "computing"))) {
        wm_table_cell(cell->table, "computing");
        return;
    }
    if (node != 0)
        wm_text_node_place(cell->text, node, place, sizeof place);
    wm_table_cell(cell->table, "in %s %s", wm_text_get_string(cell->row, "cause_operation"), place);
}

void wm_text_print_delays(const struct wm_text_report *text)
{
    static const struct wm_text_column columns[] = {
        {"rank", 'r', wm_text_number, "rank", NULL, NULL},
        {"others waited", 'r', wm_text_time, "cost_ns", NULL, NULL},
        {"calls", 'r', wm_text_count, "instances", NULL, NULL},
        {"too long by", 'r', excess_cell, NULL, NULL, NULL},
        {"it was", 'l', cause_cell, NULL, NULL, NULL},
        {"they waited in", 'l', wm_text_call, "node", "operation", NULL},
        {0},
    };
    const struct wm_text_rows rows = rows_of(text, "delays", DELAYS_SHOWN);

    wm_text_print_table(text, "Who made others wait, and where it was too long, on the mean, meanwhile", columns,
                        &rows);
}

static void communicator_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_text_communicator(cell->text, cell->row));
}

void wm_text_print_slow(const struct wm_text_report *text)
{
    static const struct wm_text_column columns[] = {
        {"number", 'r', wm_text_sequence, "sequence", NULL, NULL},
        {"bytes", 'r', wm_text_bytes, "bytes", NULL, NULL},
        {"took", 'r', wm_text_time, "duration_ns", NULL, NULL},
        {"skew", 'r', wm_text_time, "skew_ns", NULL, NULL},
        {"last rank", 'r', wm_text_number, "last_rank", NULL, NULL},
        {"begun at", 'r', wm_text_time, "begin_ns", NULL, NULL},
        {"place", 'l', wm_text_place, "node", NULL, NULL},
        {"operation", 'l', wm_text_string, "operation", NULL, NULL},
        {"communicator", 'l', communicator_cell, NULL, NULL, NULL},
        {0},
    };
    const struct wm_text_rows rows = rows_of(text, "slow", 0);

    wm_text_print_table(text, "Slowest calls: first rank in to last rank out; skew is first in to last in", columns,
                        &rows);
}

static void edge_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%d → %d", (int)wm_text_get(cell->row, "source"),
                  (int)wm_text_get(cell->row, "destination"));
}

static void edge_place_cell(const struct wm_text_cell *cell)
{
    char place[128];

    wm_text_node_place(cell->text, wm_text_get(cell->row, "node"), place, sizeof place);
    wm_table_cell(cell->table, "%s", place);
}

void wm_text_print_edges(const struct wm_text_report *text)
{
    static const struct wm_text_column columns[] = {
        {"edge", 'r', edge_cell, NULL, NULL, NULL},
        {"messages", 'r', wm_text_count, "messages", NULL, NULL},
        {"bytes", 'r', wm_text_bytes, "bytes", NULL, NULL},
        {"wait", 'r', wm_text_time, "wait_ns", NULL, NULL},
        {"transfer", 'r', wm_text_time, "transfer_ns", NULL, NULL},
        {"critical", 'r', wm_text_share, "critical", "instances", wm_text_has_paths},
        {"slack", 'r', wm_text_median, "slack", NULL, wm_text_has_paths},
        {"place", 'l', edge_place_cell, NULL, NULL, NULL},
        {"source", 'l', wm_text_source, "node", NULL, NULL},
        {0},
    };
    const struct wm_text_rows rows = rows_of(text, "edges", EDGES_SHOWN);

    wm_text_print_table(text, "Dearest edges: time attributed to messages from one rank to another, at both ends",
                        columns, &rows);
}
