/* Results as text: a table for each operation. */
#include <string.h>
#include "tools/bench/result.h"
#include "tools/bench/show.h"
#include "tools/text/units.h"

enum { COLUMN = 10, BYTES_COLUMN = 9, RATIO_COLUMN = 8 };

/* What the tables of a result have in common. */
struct layout {
    const struct wm_terminal *terminal;
    int natives;
    bool rotations; /* a column tells them */
};

/* Ratios that are worth a colour. */
static const double fast = 1.05, slow = 0.95;

/* Right-aligned, by columns rather than bytes. */
static void cell(const struct wm_terminal *terminal, int width, const char *text)
{
    int blanks = width - (int)wm_text_columns(text);

    fprintf(terminal->file, "%*s%s", blanks > 0 ? blanks : 0, "", text);
}

static void time_cell(const struct wm_terminal *terminal, double ns)
{
    cell(terminal, COLUMN, wm_time_text((int64_t)(ns + 0.5)).text);
}

static void ratio_cell(const struct wm_terminal *terminal, double ratio)
{
    char text[32] = "-";

    if (ratio > 0)
        snprintf(text, sizeof text, "%.2f", ratio);
    if (ratio > 0 && ratio < slow)
        fputs(wm_terminal_warn(terminal), terminal->file);
    else if (ratio >= fast)
        fputs(wm_terminal_bold(terminal), terminal->file);
    cell(terminal, RATIO_COLUMN, text);
    fputs(wm_terminal_plain(terminal), terminal->file);
}

/* Native has nothing to be compared with; neither has what stands there without it. */
static bool has_ratio(const struct layout *l, const json_t *entry)
{
    return l->natives > 0 && !wm_bench_is_native(entry) &&
           strcmp(json_string_value(json_object_get(entry, "contender")), "memcpy") != 0;
}

/* Beside its like, a native contender has a median alone. */
static bool is_short(const struct layout *l, const json_t *entry)
{
    return l->natives > 1 && wm_bench_is_native(entry);
}

static int width_of(const struct layout *l, const json_t *entry)
{
    return is_short(l, entry) ? COLUMN : 3 * COLUMN + (has_ratio(l, entry) ? RATIO_COLUMN : 0);
}

/* Two lines: who, in the middle of the columns, and what. */
static void table_head(const struct layout *l, const json_t *entries)
{
    FILE *out = l->terminal->file;
    const json_t *entry;
    size_t i;

    fprintf(out, "  %*s", BYTES_COLUMN + (l->rotations ? COLUMN : 0), "");
    json_array_foreach (entries, i, entry) {
        const char *name = json_string_value(json_object_get(entry, "contender"));
        int width = width_of(l, entry), right = is_short(l, entry) ? width : width - 2;

        fprintf(out, "%s%*.*s%s", wm_terminal_bold(l->terminal), width, right, name, wm_terminal_plain(l->terminal));
    }
    fprintf(out, "\n  %*s", BYTES_COLUMN, "bytes");
    if (l->rotations)
        fprintf(out, "%*s", COLUMN, "rotate");
    json_array_foreach (entries, i, entry) {
        if (is_short(l, entry))
            fprintf(out, "%*s", COLUMN, "median");
        else
            fprintf(out, "%*s%*s%*s", COLUMN, "min", COLUMN, "median", COLUMN, "p95");
        if (has_ratio(l, entry))
            fprintf(out, "%*s", RATIO_COLUMN, "ratio");
    }
    fputs(l->natives > 1 ? "  best native\n" : "\n", out);
}

static void entry_cells(const struct layout *l, const json_t *size, const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "contender"));
    bool is_one = is_short(l, entry);
    struct wm_bench_times t;

    if (!wm_bench_read_times(size, name, &t)) {
        fprintf(l->terminal->file, "%s%*s%s", wm_terminal_warn(l->terminal), is_one ? COLUMN : 3 * COLUMN,
                is_one ? "WRONG" : "WRONG RESULT", wm_terminal_plain(l->terminal));
    } else {
        if (!is_one)
            time_cell(l->terminal, t.min_ns);
        time_cell(l->terminal, t.median_ns);
        if (!is_one)
            time_cell(l->terminal, t.p95_ns);
    }
    if (has_ratio(l, entry))
        ratio_cell(l->terminal, wm_bench_ratio(size, name));
}

static void table_row(const struct layout *l, const json_t *size, const json_t *entries)
{
    const char *best = wm_bench_best_native(size);
    const json_t *entry;
    size_t i;

    fputs("  ", l->terminal->file);
    cell(l->terminal, BYTES_COLUMN, wm_bytes_text(wm_bench_bytes(size)).text);
    if (l->rotations)
        cell(l->terminal, COLUMN, wm_bench_bytes(size) > 0 ? wm_bytes_text(wm_bench_rotation(size)).text : "-");
    json_array_foreach (entries, i, entry)
        entry_cells(l, size, entry);
    if (l->natives > 1)
        fprintf(l->terminal->file, "  %s", best != NULL ? best : "-");
    fputc('\n', l->terminal->file);
}

static void table(const struct layout *l, const json_t *operation)
{
    const json_t *sizes = json_object_get(operation, "sizes"), *size;
    const json_t *entries = json_object_get(json_array_get(sizes, 0), "results");
    size_t i;

    if (json_array_size(entries) == 0)
        return;
    fprintf(l->terminal->file, "\n%s%s%s\n", wm_terminal_bold(l->terminal), wm_bench_name(operation),
            wm_terminal_plain(l->terminal));
    table_head(l, entries);
    json_array_foreach (sizes, i, size)
        table_row(l, size, entries);
}

static void head(const json_t *result, const struct layout *l)
{
    int ranks = (int)json_integer_value(json_object_get(result, "ranks"));
    int nodes = (int)json_integer_value(json_object_get(result, "nodes"));
    const char *library = json_string_value(json_object_get(result, "library"));

    fprintf(l->terminal->file, "%d rank%s on %d node%s; native: %s\n", ranks, ranks == 1 ? "" : "s", nodes,
            nodes == 1 ? "" : "s", library != NULL ? library : "?");
    wm_terminal_wrap(l->terminal, "",
                     l->natives > 0
                         ? "Times are per call. Ratio: the best native median divided by the map's; above 1 the "
                           "map is faster."
                         : "Times are per call.");
    if (l->rotations)
        wm_terminal_wrap(l->terminal, "",
                         "Rotate: the buffers that calls take in turn; 0 B: always the same ones. 8 B@4 MiB: 8 B, in "
                         "buffers of 4 MiB.");
}

void wm_bench_text(const json_t *result, const struct wm_terminal *terminal)
{
    struct layout l = {terminal, wm_bench_native_count(result), wm_bench_has_rotations(result)};
    const json_t *operation, *reason;
    size_t i;

    head(result, &l);
    json_array_foreach (json_object_get(result, "operations"), i, operation)
        table(&l, operation);
    wm_bench_summary(result, terminal);
    if (json_array_size(json_object_get(result, "left_out")) > 0)
        fputc('\n', terminal->file);
    json_array_foreach (json_object_get(result, "left_out"), i, reason)
        wm_terminal_wrap(terminal, "left out: ", json_string_value(reason));
    if (json_is_true(json_object_get(result, "interrupted")))
        fprintf(terminal->file, "\n%sinterrupted: there would have been more%s\n", wm_terminal_warn(terminal),
                wm_terminal_plain(terminal));
}
