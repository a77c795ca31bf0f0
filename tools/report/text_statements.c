/* The report's section of statements: what each line of the program took. */
#include <string.h>
#include "tools/report/text.h"
#include "tools/text/units.h"

enum { TEXT_SHOWN = 32 };

/* Its name; of one that has none as much of its text as there is room for. */
static void statement(const struct wm_text_cell *cell)
{
    const char *name = wm_text_get_string(cell->row, cell->key), *text = wm_text_get_string(cell->row, "text");
    int shown = (int)strcspn(text, "\n"), room = shown < TEXT_SHOWN ? shown : TEXT_SHOWN;

    while (room > 0 && ((unsigned char)text[room] & 0xc0) == 0x80)
        room--;
    if (*name != '\0')
        wm_table_cell(cell->table, "%s", name);
    else
        wm_table_cell(cell->table, "%.*s%s", room, text, text[room] != '\0' ? "…" : "");
}

static void place(const struct wm_text_cell *cell)
{
    const char *file = wm_text_get_string(cell->row, cell->key), *slash = strrchr(file, '/');

    wm_table_cell(cell->table, "%s:%lld", slash != NULL ? slash + 1 : file, (long long)wm_text_get(cell->row, "line"));
}

static void mean(const struct wm_text_cell *cell)
{
    int64_t calls = wm_text_get(cell->row, "calls");

    wm_table_cell(cell->table, "%s", wm_time_text(calls > 0 ? wm_text_get(cell->row, cell->key) / calls : 0).text);
}

static const struct wm_text_column columns[] = {{"statement", 'l', statement, .key = "name"},
                                                {"at", 'l', place, .key = "file"},
                                                {"carried", 'l', wm_text_string, .key = "carried"},
                                                {"map", 'l', wm_text_place, .key = "node"},
                                                {"calls", 'r', wm_text_count, .key = "calls"},
                                                {"time", 'r', wm_text_time, .key = "time_ns"},
                                                {"a call", 'r', mean, .key = "time_ns"},
                                                {"at most", 'r', wm_text_time, .key = "max_ns"},
                                                {"bytes", 'r', wm_text_bytes, .key = "bytes"},
                                                {0}};

void wm_text_print_statements(const struct wm_text_report *text)
{
    wm_text_print_table(
        text, "Statements, by line of the program: who knows of their messages, or the operation; over all ranks",
        columns, &(struct wm_text_rows){.array = json_object_get(text->report, "statements")});
}
