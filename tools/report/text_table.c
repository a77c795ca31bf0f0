/* Tables of the text report: columns as data, and what a cell says of a row. */
#include "tools/report/text.h"

#include <string.h>
#include "tools/text/units.h"

int64_t wm_text_get(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const char *wm_text_get_string(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

int64_t wm_text_get_spread(const json_t *object, const char *key, const char *figure)
{
    return wm_text_get(json_object_get(object, key), figure);
}

const json_t *wm_text_node(const struct wm_text_report *text, int64_t node)
{
    const json_t *nodes = json_object_get(text->report, "nodes"), *found;
    size_t i;

    json_array_foreach (nodes, i, found)
        if (wm_text_get(found, "node") == node)
            return found;
    return NULL;
}

void wm_text_node_place(const struct wm_text_report *text, int64_t number, char *out, size_t out_bytes)
{
    const json_t *node = wm_text_node(text, number);
    const char *file = wm_text_get_string(node, "file"), *slash;

    if (*file == '\0')
        file = wm_text_get_string(json_object_get(text->report, "map"), "file");
    if (*file == '\0')
        file = "map";
    slash = strrchr(file, '/');
    if (wm_text_get(node, "line") > 0)
        snprintf(out, out_bytes, "%s:%d", slash != NULL ? slash + 1 : file, (int)wm_text_get(node, "line"));
    else
        snprintf(out, out_bytes, "node %d", (int)number);
}

const char *wm_text_node_source(const struct wm_text_report *text, int64_t number)
{
    const json_t *node = wm_text_node(text, number);

    if (node != NULL)
        return wm_text_get_string(node, "source");
    return number == 0 ? "(no rule: the MPI library's own)" : "(not defined)";
}

const char *wm_text_communicator(const struct wm_text_report *text, const json_t *row)
{
    const json_t *communicators = json_object_get(text->report, "communicators");
    const char *name =
        wm_text_get_string(json_array_get(communicators, (size_t)wm_text_get(row, "communicator")), "name");

    return *name != '\0' ? name : "(unnamed)";
}

bool wm_text_has_paths(const json_t *report)
{
    return wm_text_get(json_object_get(report, "critical"), "instances") > 0;
}

/* ---- cells ---- */

static int64_t value(const struct wm_text_cell *cell)
{
    return wm_text_get(cell->row, cell->key);
}

void wm_text_number(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%lld", (long long)value(cell));
}

void wm_text_count(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_count_text((uint64_t)value(cell)).text);
}

void wm_text_bytes(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_bytes_text((uint64_t)value(cell)).text);
}

void wm_text_time(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_time_text(value(cell)).text);
}

void wm_text_share(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_share_text(value(cell), wm_text_get(cell->row, cell->of)).text);
}

void wm_text_string(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_text_get_string(cell->row, cell->key));
}

void wm_text_sequence(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "#%lld", (long long)value(cell));
}

static void spread_cell(const struct wm_text_cell *cell, const char *figure)
{
    if (json_object_get(cell->row, cell->key) == NULL)
        wm_table_cell(cell->table, "-");
    else
        wm_table_cell(cell->table, "%s", wm_time_text(wm_text_get_spread(cell->row, cell->key, figure)).text);
}

void wm_text_median(const struct wm_text_cell *cell)
{
    spread_cell(cell, "median_ns");
}

void wm_text_p95(const struct wm_text_cell *cell)
{
    spread_cell(cell, "p95_ns");
}

void wm_text_call(const struct wm_text_cell *cell)
{
    char place[128] = "(native)";

    if (value(cell) != 0)
        wm_text_node_place(cell->text, value(cell), place, sizeof place);
    wm_table_cell(cell->table, "%s %s", wm_text_get_string(cell->row, cell->of), place);
}

void wm_text_place(const struct wm_text_cell *cell)
{
    char place[128] = "native";

    if (value(cell) != 0)
        wm_text_node_place(cell->text, value(cell), place, sizeof place);
    wm_table_cell(cell->table, "%s", place);
}

void wm_text_source(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", wm_text_node_source(cell->text, value(cell)));
}

void wm_text_late_rank(const struct wm_text_cell *cell)
{
    const json_t *rank = json_object_get(cell->row, "late_rank");

    if (rank == NULL)
        wm_table_cell(cell->table, "-");
    else
        wm_table_cell(cell->table, "%d (%.0f %%)", (int)json_integer_value(rank),
                      100 * json_real_value(json_object_get(cell->row, "late_share")));
}

/* ---- tables ---- */

void wm_text_print_title(const struct wm_text_report *text, const char *title)
{
    fprintf(text->terminal->file, "\n%s%s%s\n", wm_terminal_bold(text->terminal), title,
            wm_terminal_plain(text->terminal));
}

static bool is_shown(const struct wm_text_report *text, const struct wm_text_column *column)
{
    return column->shown == NULL || column->shown(text->report);
}

static void write_row(const struct wm_text_report *text, struct wm_table *table, const struct wm_text_column *columns,
                      const json_t *row)
{
    for (const struct wm_text_column *c = columns; c->heading != NULL; c++)
        if (is_shown(text, c))
            c->write(&(struct wm_text_cell){text, table, row, c->key, c->of});
}

void wm_text_print_table(const struct wm_text_report *text, const char *title, const struct wm_text_column *columns,
                         const struct wm_text_rows *rows)
{
    char alignment[WM_TEXT_COLUMNS_MAX + 1] = "";
    const json_t *row;
    struct wm_table table;
    size_t i, taken = 0;

    for (const struct wm_text_column *c = columns; c->heading != NULL; c++)
        if (is_shown(text, c))
            strncat(alignment, &c->alignment, 1);
    wm_table_init(&table, alignment);
    for (const struct wm_text_column *c = columns; c->heading != NULL; c++)
        if (is_shown(text, c))
            wm_table_cell(&table, "%s", c->heading);
    json_array_foreach (rows->array, i, row) {
        if (rows->fits != NULL && !rows->fits(row, rows->context))
            continue;
        if (rows->most > 0 && taken == rows->most)
            break;
        if (taken++ == 0 && title != NULL)
            wm_text_print_title(text, title);
        write_row(text, &table, columns, row);
    }
    wm_table_print(&table, text->terminal);
}
