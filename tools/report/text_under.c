/* The report's section of other maps: what the run would have taken, and where the gain or the loss is. */
#include "tools/report/text.h"
#include "tools/text/units.h"

enum { LINE_CHARS = 512 };

static void line_of_map(const struct wm_text_cell *cell)
{
    int64_t line = wm_text_get(cell->row, cell->key);

    if (line > 0)
        wm_table_cell(cell->table, "line %lld", (long long)line);
    else
        wm_table_cell(cell->table, line < 0 ? "several" : "library");
}

static const struct wm_text_column columns[] = {{"operation", 'l', wm_text_string, .key = "operation"},
                                                {"then", 'l', line_of_map, .key = "line_then"},
                                                {"now", 'l', line_of_map, .key = "line_now"},
                                                {"calls", 'r', wm_text_count, .key = "calls"},
                                                {"service then", 'r', wm_text_time, .key = "service_then_ns"},
                                                {"now", 'r', wm_text_time, .key = "service_now_ns"},
                                                {"waiting then", 'r', wm_text_time, .key = "wait_then_ns"},
                                                {"now", 'r', wm_text_time, .key = "wait_now_ns"},
                                                {0}};

static void print_answer(const struct wm_text_report *text, const json_t *under)
{
    int64_t run_ns = wm_text_get(under, "run_ns"), now_ns = wm_text_get(under, "now_ns");
    const json_t *error = json_object_get(under, "error_ns");
    char line[LINE_CHARS];

    snprintf(line, sizeof line, "%.200s: %s -> %s ± %s, %.2f times as fast (%s)", wm_text_get_string(under, "map_now"),
             wm_time_text(run_ns).text, wm_time_text(now_ns).text,
             json_is_integer(error) ? wm_time_text((int64_t)json_integer_value(error)).text : "?",
             now_ns > 0 ? (double)run_ns / (double)now_ns : 0, wm_text_get_string(under, "stamp"));
    wm_terminal_wrap(text->terminal, "  ", line);
    wm_text_print_table(text, NULL, columns, &(struct wm_text_rows){.array = json_object_get(under, "lines")});
}

static void print_refusal(const struct wm_text_report *text, const json_t *under)
{
    char line[LINE_CHARS];

    snprintf(line, sizeof line, "%.200s: no answer, for %s; 'waymark replay' says more",
             wm_text_get_string(under, "map_now"), wm_text_get_string(under, "refusal"));
    wm_terminal_wrap(text->terminal, "  ", line);
}

void wm_text_print_under(const struct wm_text_report *text)
{
    const json_t *under;
    size_t i;

    if (json_array_size(json_object_get(text->report, "under")) > 0)
        wm_text_print_title(text, "Under other maps the run would have taken");
    json_array_foreach (json_object_get(text->report, "under"), i, under)
        (json_is_true(json_object_get(under, "answered")) ? print_answer : print_refusal)(text, under);
}
