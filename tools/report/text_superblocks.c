/* The report's section of superblocks: what their regions hid, what not and why, and how many subranks to try. */
#include "tools/report/text.h"
#include "tools/text/units.h"

/* Of a rank: iterations, and its wait in one. */
static void iterations(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s",
                  wm_count_text((uint64_t)(wm_text_get(cell->row, cell->key) / wm_text_get(cell->row, "ranks"))).text);
}

static void mean(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s",
                  wm_time_text(wm_text_get(cell->row, cell->key) / wm_text_get(cell->row, "pairs")).text);
}

static void hidden(const struct wm_text_cell *cell)
{
    const json_t *share = json_object_get(cell->row, cell->key);

    if (share == NULL)
        wm_table_cell(cell->table, "-");
    else
        wm_table_cell(cell->table, "%s", wm_share_text((int64_t)(json_real_value(share) * 1000000), 1000000).text);
}

static const struct wm_text_column columns[] = {
    {"superblock", 'l', wm_text_string, .key = "name"},
    {"ranks", 'r', wm_text_number, .key = "ranks"},
    {"in processes", 'r', wm_text_number, .key = "processes"},
    {"iterations", 'r', iterations, .key = "pairs"},
    {"a rank waits", 'r', mean, .key = "wait_ns"},
    {"a process computes", 'r', wm_text_time, .key = "iteration_compute_ns"},
    {"is idle", 'r', wm_text_time, .key = "iteration_idle_ns"},
    {"hidden", 'r', hidden, .key = "hidden"},
    {"try", 'r', wm_text_number, .key = "subranks"},
    {0}};

void wm_text_print_superblocks(const struct wm_text_report *text)
{
    const json_t *array = json_object_get(text->report, "superblocks"), *row;
    char line[512];
    size_t i;

    wm_text_print_table(text,
                        "Superblocks, an iteration: of the time that messages take, how much computing hides; and how "
                        "many subranks a process to try",
                        columns, &(struct wm_text_rows){.array = array});
    json_array_foreach ((json_t *)array, i, row) {
        snprintf(line, sizeof line, "'%.200s': %.250s.", wm_text_get_string(row, "name"),
                 wm_text_get_string(row, "why"));
        wm_terminal_wrap(text->terminal, "  ", line);
    }
}
