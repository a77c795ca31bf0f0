/* The report's section of messages of protocols: what waited for receives, and what to post earlier. */
#include "tools/report/text.h"
#include "tools/text/units.h"

static const json_t *met_of(const struct wm_text_cell *cell)
{
    return json_object_get(cell->row, cell->of);
}

static void met_count(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%lld", (long long)wm_text_get(met_of(cell), "n"));
}

static void met_mean(const struct wm_text_cell *cell)
{
    int64_t count = wm_text_get(met_of(cell), "n");

    if (count == 0)
        wm_table_cell(cell->table, "-");
    else
        wm_table_cell(cell->table, "%s", wm_time_text(wm_text_get(met_of(cell), "wait_ns") / count).text);
}

static void met_most(const struct wm_text_cell *cell)
{
    if (wm_text_get(met_of(cell), "n") == 0)
        wm_table_cell(cell->table, "-");
    else
        wm_table_cell(cell->table, "%s", wm_time_text(wm_text_get(met_of(cell), "max_ns")).text);
}

static const struct wm_text_column columns[] = {{"protocol", 'l', wm_text_string, .key = "name"},
                                                {"at", 'r', wm_text_number, .key = "endpoint"},
                                                {"sent", 'r', wm_text_count, .key = "sent"},
                                                {"received", 'r', wm_text_count, .key = "received"},
                                                {"copied", 'r', met_count, .of = "copied"},
                                                {"bytes", 'r', wm_text_bytes, .key = "copied_bytes"},
                                                {"in", 'r', wm_text_time, .key = "copy_ns"},
                                                {"waited", 'r', met_mean, .of = "copied"},
                                                {"at most", 'r', met_most, .of = "copied"},
                                                {"held", 'r', met_count, .of = "held"},
                                                {"waited", 'r', met_mean, .of = "held"},
                                                {"left", 'r', wm_text_count, .key = "left"},
                                                {0}};

void wm_text_print_protocols(const struct wm_text_report *text)
{
    const json_t *array = json_object_get(text->report, "protocols"), *end;
    size_t i;

    wm_text_print_table(
        text,
        "Messages that came before a receive, by protocol and endpoint: copied (their bytes, the copies' "
        "time), or held by their senders; waiting on average",
        columns, &(struct wm_text_rows){.array = array});
    json_array_foreach ((json_t *)array, i, end)
        if (json_object_get(end, "advice") != NULL)
            wm_terminal_wrap(text->terminal, "  ", wm_text_get_string(end, "advice"));
}
