/* Where the time of each line of the map goes, and of calls that no line is about; how calls of one line differ. */
#include "tools/report/text.h"

#include <string.h>
#include "waymark/operation.h"
#include "tools/text/units.h"

static const json_t *lines_of(const struct wm_text_report *text)
{
    return json_object_get(text->report, "lines");
}

static bool is_native(const json_t *line)
{
    return wm_text_get(line, "node") == 0;
}

/* ---- by line of the map ---- */

static void number_cell(const struct wm_text_cell *cell)
{
    int64_t number = wm_text_get(wm_text_node(cell->text, wm_text_get(cell->row, "node")), "line");

    if (number > 0)
        wm_table_cell(cell->table, "%d", (int)number);
    else
        wm_table_cell(cell->table, "?");
}

static void own_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s",
                  wm_share_text(wm_text_get(cell->row, "work_ns") + wm_text_get(cell->row, "overhead_ns"),
                                wm_text_get(cell->row, "time_ns"))
                      .text);
}

static void critical_cell(const struct wm_text_cell *cell)
{
    int64_t whole_ns = wm_text_get(json_object_get(cell->text->report, "critical"), "ns");

    wm_table_cell(cell->table, "%s", wm_share_text(wm_text_get(cell->row, "critical_ns"), whole_ns).text);
}

/* Stages are indented below the calls that they are inside of. */
static void source_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s%s", json_is_true(json_object_get(cell->row, "visited")) ? "" : "  ",
                  wm_text_node_source(cell->text, wm_text_get(cell->row, "node")));
}

static const struct wm_text_column line_columns[] = {
    {"line", 'r', number_cell, NULL, NULL, NULL},
    {"calls", 'r', wm_text_count, "calls", NULL, NULL},
    {"bytes", 'r', wm_text_bytes, "bytes", NULL, NULL},
    {"time", 'r', wm_text_time, "time_ns", NULL, NULL},
    {"late", 'r', wm_text_share, "late_ns", "time_ns", NULL},
    {"inside", 'r', wm_text_share, "inside_ns", "time_ns", NULL},
    {"transfer", 'r', wm_text_share, "transfer_ns", "time_ns", NULL},
    {"own", 'r', own_cell, NULL, NULL, NULL},
    {"critical", 'r', critical_cell, NULL, NULL, wm_text_has_paths},
    {"for rank", 'r', wm_text_late_rank, NULL, NULL, NULL},
    {"source", 'l', source_cell, NULL, NULL, NULL},
    {0},
};

/* The map that a line stands in: a communicator may have one of its own. */
static const char *file_of(const struct wm_text_report *text, const json_t *line)
{
    const char *own = wm_text_get_string(wm_text_node(text, wm_text_get(line, "node")), "file");
    const char *file = *own != '\0' ? own : wm_text_get_string(json_object_get(text->report, "map"), "file");

    return *file != '\0' ? file : "the map";
}

struct heading {
    const struct wm_text_report *text;
    const char *operation, *file;
};

static bool is_under(const json_t *line, const void *context)
{
    const struct heading *heading = context;

    return !is_native(line) && strcmp(wm_text_get_string(line, "operation"), heading->operation) == 0 &&
           strcmp(file_of(heading->text, line), heading->file) == 0;
}

static void print_heading(const struct heading *heading)
{
    char title[256];

    snprintf(title, sizeof title, "%s, by line of %.160s (times are sums over ranks)", heading->operation,
             heading->file);
    wm_text_print_table(heading->text, title, line_columns,
                        &(struct wm_text_rows){lines_of(heading->text), 0, is_under, heading});
}

void wm_text_print_lines(const struct wm_text_report *text)
{
    const json_t *lines = lines_of(text);

    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        const struct heading heading = {text, wm_text_get_string(line, "operation"), file_of(text, line)};
        bool printed = is_native(line);

        for (size_t k = 0; k < i && !printed; k++)
            printed = is_under(json_array_get(lines, k), &heading);
        if (!printed)
            print_heading(&heading);
    }
}

/* ---- native calls ---- */

static void native_own_cell(const struct wm_text_cell *cell)
{
    int64_t time_ns = wm_text_get(cell->row, "time_ns");

    wm_table_cell(cell->table, "%s", wm_share_text(time_ns - wm_text_get(cell->row, "late_ns"), time_ns).text);
}

static void function_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s",
                  wm_operation_function(wm_operation_find(wm_text_get_string(cell->row, "operation"))));
}

static const struct wm_text_column native_columns[] = {
    {"calls", 'r', wm_text_count, "calls", NULL, NULL},  {"bytes", 'r', wm_text_bytes, "bytes", NULL, NULL},
    {"time", 'r', wm_text_time, "time_ns", NULL, NULL},  {"late", 'r', wm_text_share, "late_ns", "time_ns", NULL},
    {"own", 'r', native_own_cell, NULL, NULL, NULL},     {"for rank", 'r', wm_text_late_rank, NULL, NULL, NULL},
    {"operation", 'l', function_cell, NULL, NULL, NULL}, {0},
};

static bool is_native_row(const json_t *line, const void *context)
{
    (void)context;
    return is_native(line);
}

void wm_text_print_native(const struct wm_text_report *text)
{
    wm_text_print_table(text, "Native calls: no rule of the map applies to them", native_columns,
                        &(struct wm_text_rows){lines_of(text), 0, is_native_row, NULL});
}

/* ---- how calls differ ---- */

static bool has_spreads(const json_t *line, const void *context)
{
    (void)context;
    return json_is_true(json_object_get(line, "outermost")) && json_object_get(line, "duration") != NULL;
}

static bool any_overlaps(const json_t *report)
{
    const json_t *line;
    size_t i;

    json_array_foreach (json_object_get(report, "lines"), i, line)
        if (has_spreads(line, NULL) && wm_text_get(line, "flights") > 0)
            return true;
    return false;
}

static void excess_cell(const struct wm_text_cell *cell)
{
    int64_t excess_ns = wm_text_get(cell->row, "excess_ns");

    wm_table_cell(cell->table, "%s", wm_share_text(excess_ns, wm_text_get(cell->row, "floor_ns") + excess_ns).text);
}

static void imbalance_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%.0f %%", 100 * json_real_value(json_object_get(cell->row, "imbalance")));
}

static void overlap_cell(const struct wm_text_cell *cell)
{
    const json_t *overlap = json_object_get(cell->row, "overlap");

    if (overlap == NULL)
        wm_table_cell(cell->table, "-");
    else
        wm_table_cell(cell->table, "%s", wm_share_text((int64_t)(1e6 * json_real_value(overlap)), 1000000).text);
}

static void calls_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_count_text((uint64_t)wm_text_get_spread(cell->row, "duration", "n")).text);
}

static const struct wm_text_column spread_columns[] = {
    {"call", 'r', wm_text_median, "duration", NULL, NULL},    {"p95", 'r', wm_text_p95, "duration", NULL, NULL},
    {"wait", 'r', wm_text_median, "wait", NULL, NULL},        {"p95", 'r', wm_text_p95, "wait", NULL, NULL},
    {"service", 'r', wm_text_median, "service", NULL, NULL},  {"p95", 'r', wm_text_p95, "service", NULL, NULL},
    {"excess", 'r', excess_cell, NULL, NULL, NULL},           {"uneven", 'r', imbalance_cell, NULL, NULL, NULL},
    {"overlap", 'r', overlap_cell, NULL, NULL, any_overlaps}, {"n", 'r', calls_cell, NULL, NULL, NULL},
    {"what", 'l', wm_text_call, "node", "operation", NULL},   {0},
};

void wm_text_print_spreads(const struct wm_text_report *text)
{
    wm_text_print_table(text, "Calls, and a rank's wait and service in one: median and 95th percentile", spread_columns,
                        &(struct wm_text_rows){lines_of(text), 0, has_spreads, NULL});
}
