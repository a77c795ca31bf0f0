/* Results as text: a table for each operation. */
#include <string.h>
#include "tools/bench/result.h"
#include "tools/bench/show.h"
#include "tools/text/units.h"

enum { COLUMN = 10, BYTES_COLUMN = 9, RATIO_COLUMN = 8, NAME_CHARS_MAX = 64 };

/* Ratios that are worth a colour. */
static const double fast = 1.05, slow = 0.95;

/* Right-aligned, by columns rather than bytes. */
static void cell(const struct wm_page *page, int width, const char *text)
{
    int blanks = width - (int)wm_text_columns(text);

    fprintf(page->file, "%*s%s", blanks > 0 ? blanks : 0, "", text);
}

static void time_cell(const struct wm_page *page, double ns)
{
    cell(page, COLUMN, wm_time_text((int64_t)(ns + 0.5)).text);
}

static void ratio_cell(const struct wm_page *page, double ratio)
{
    char text[32] = "-";

    if (ratio > 0)
        snprintf(text, sizeof text, "%.2f", ratio);
    if (ratio > 0 && ratio < slow)
        fputs(wm_page_warn(page), page->file);
    else if (ratio >= fast)
        fputs(wm_page_bold(page), page->file);
    cell(page, RATIO_COLUMN, text);
    fputs(wm_page_plain(page), page->file);
}

/* Native has nothing to be compared with; neither has what stands there without it. */
static bool has_ratio(const json_t *result, const char *contender)
{
    return wm_bench_has_native(result) && strcmp(contender, WM_BENCH_NATIVE) != 0 && strcmp(contender, "memcpy") != 0;
}

/* Two lines: who, in the middle of the columns, and what. */
static void table_head(const json_t *result, const json_t *entries, const struct wm_page *page)
{
    const json_t *entry;
    size_t i;

    fprintf(page->file, "  %*s", BYTES_COLUMN, "");
    json_array_foreach (entries, i, entry) {
        const char *name = json_string_value(json_object_get(entry, "contender"));
        int width = 3 * COLUMN + (has_ratio(result, name) ? RATIO_COLUMN : 0);

        fprintf(page->file, "%s%*.*s%s", wm_page_bold(page), width, width - 2, name, wm_page_plain(page));
    }
    fprintf(page->file, "\n  %*s", BYTES_COLUMN, "bytes");
    json_array_foreach (entries, i, entry) {
        fprintf(page->file, "%*s%*s%*s", COLUMN, "min", COLUMN, "median", COLUMN, "p95");
        if (has_ratio(result, json_string_value(json_object_get(entry, "contender"))))
            fprintf(page->file, "%*s", RATIO_COLUMN, "ratio");
    }
    fputc('\n', page->file);
}

static void table_row(const json_t *result, const json_t *size, const json_t *entries, const struct wm_page *page)
{
    const json_t *entry;
    size_t i;

    fputs("  ", page->file);
    cell(page, BYTES_COLUMN, wm_bytes_text(wm_bench_bytes(size)).text);
    json_array_foreach (entries, i, entry) {
        const char *name = json_string_value(json_object_get(entry, "contender"));
        struct wm_bench_times t;

        if (wm_bench_read_times(size, name, &t)) {
            time_cell(page, t.min_ns);
            time_cell(page, t.median_ns);
            time_cell(page, t.p95_ns);
        } else {
            fprintf(page->file, "%s%*s%s", wm_page_warn(page), 3 * COLUMN, "WRONG RESULT", wm_page_plain(page));
        }
        if (has_ratio(result, name))
            ratio_cell(page, wm_bench_ratio(size, name));
    }
    fputc('\n', page->file);
}

static void table(const json_t *result, const json_t *operation, const struct wm_page *page)
{
    const json_t *sizes = json_object_get(operation, "sizes"), *size;
    const json_t *entries = json_object_get(json_array_get(sizes, 0), "results");
    size_t i;

    if (json_array_size(entries) == 0)
        return;
    fprintf(page->file, "\n%s%s%s\n", wm_page_bold(page), wm_bench_name(operation), wm_page_plain(page));
    table_head(result, entries, page);
    json_array_foreach (sizes, i, size)
        table_row(result, size, entries, page);
}

static void head(const json_t *result, const struct wm_page *page)
{
    int ranks = (int)json_integer_value(json_object_get(result, "ranks"));
    int nodes = (int)json_integer_value(json_object_get(result, "nodes"));
    const char *library = json_string_value(json_object_get(result, "library"));

    fprintf(page->file, "%d rank%s on %d node%s; native: %s\n", ranks, ranks == 1 ? "" : "s", nodes,
            nodes == 1 ? "" : "s", library != NULL ? library : "?");
    wm_page_wrap(page, "",
                 wm_bench_has_native(result)
                     ? "Times are per call. Ratio: native's median divided by the map's; above 1 the map is faster."
                     : "Times are per call.");
}

void wm_bench_text(const json_t *result, const struct wm_page *page)
{
    const json_t *operation, *reason;
    size_t i;

    head(result, page);
    json_array_foreach (json_object_get(result, "operations"), i, operation)
        table(result, operation, page);
    wm_bench_summary(result, page);
    if (json_array_size(json_object_get(result, "left_out")) > 0)
        fputc('\n', page->file);
    json_array_foreach (json_object_get(result, "left_out"), i, reason)
        wm_page_wrap(page, "left out: ", json_string_value(reason));
    if (json_is_true(json_object_get(result, "interrupted")))
        fprintf(page->file, "\n%sinterrupted: there would have been more%s\n", wm_page_warn(page), wm_page_plain(page));
}
