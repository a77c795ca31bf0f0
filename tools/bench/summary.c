/* What the tables add up to, contender by contender, and how near they come to the machine's limit. */
#include <math.h>
#include <string.h>
#include "tools/bench/result.h"
#include "tools/bench/show.h"
#include "tools/text/units.h"

enum { SLOWER_CHARS = 8192, ALIGNMENT_CHARS = 64 };

/* Below this a contender is told to be slower: what lies above is noise. */
static const double slower_below = 0.97;

struct sum {
    const char *contender;
    bool rotations;
    double logarithms;
    int count, slower;
    struct wm_bench_ratios worst, best; /* of the operations where these are */
    const char *worst_operation, *best_operation;
    char where[SLOWER_CHARS]; /* "bcast (8 B, 16 B), scan (1 MiB)" */
};

static void say(struct sum *sum, const char *text)
{
    size_t length = strlen(sum->where);

    snprintf(sum->where + length, sizeof sum->where - length, "%s", text);
}

static void add_slower(struct sum *sum, const char *operation, const json_t *size, bool *begun)
{
    if (!*begun) {
        say(sum, sum->slower > 0 ? ", " : "");
        say(sum, operation);
    }
    say(sum, *begun ? ", " : " (");
    say(sum, wm_bench_place(size, sum->rotations).text);
    *begun = true;
    sum->slower++;
}

static void add_sizes(struct sum *sum, const json_t *operation)
{
    bool begun = false;
    const json_t *size;
    size_t i;

    json_array_foreach (json_object_get(operation, "sizes"), i, size) {
        double ratio = wm_bench_ratio(size, sum->contender);

        sum->logarithms += ratio > 0 ? log(ratio) : 0;
        if (ratio > 0 && ratio < slower_below)
            add_slower(sum, wm_bench_name(operation), size, &begun);
    }
    if (begun)
        say(sum, ")");
}

static void add_operation(struct sum *sum, const json_t *operation)
{
    struct wm_bench_ratios ratios = wm_bench_ratios_of(operation, sum->contender);

    if (ratios.count == 0)
        return;
    if (sum->count == 0 || ratios.worst < sum->worst.worst) {
        sum->worst = ratios;
        sum->worst_operation = wm_bench_name(operation);
    }
    if (sum->count == 0 || ratios.best > sum->best.best) {
        sum->best = ratios;
        sum->best_operation = wm_bench_name(operation);
    }
    add_sizes(sum, operation);
    sum->count += ratios.count;
}

static void print(const struct sum *sum, const struct wm_terminal *terminal)
{
    fprintf(terminal->file, "\n%s%s%s: %.2f times as fast as native (geometric mean of %d); ",
            wm_terminal_bold(terminal), sum->contender, wm_terminal_plain(terminal), exp(sum->logarithms / sum->count),
            sum->count);
    fprintf(terminal->file, "best %.2f (%s, %s), worst %.2f (%s, %s)\n", sum->best.best, sum->best_operation,
            wm_bench_place(sum->best.best_size, sum->rotations).text, sum->worst.worst, sum->worst_operation,
            wm_bench_place(sum->worst.worst_size, sum->rotations).text);
    if (sum->slower > 0)
        wm_terminal_wrap(terminal, "  slower: ", sum->where);
    else
        fputs("  nowhere slower\n", terminal->file);
}

/* A row for each operation. */
static void print_operations(const json_t *result, const struct sum *sum, const struct wm_terminal *terminal)
{
    const json_t *operation;
    struct wm_table table;
    size_t i;

    wm_table_init(&table, "lrrll");
    for (int column = 0; column < table.column_count; column++)
        wm_table_cell(&table, "%s", (const char *[]){"ratios", "median", "worst", "at", "best native there"}[column]);
    json_array_foreach (json_object_get(result, "operations"), i, operation) {
        struct wm_bench_ratios ratios = wm_bench_ratios_of(operation, sum->contender);

        if (ratios.count == 0)
            continue;
        wm_table_cell(&table, "%s", wm_bench_name(operation));
        wm_table_cell(&table, "%.2f", ratios.median);
        wm_table_cell(&table, "%.2f", ratios.worst);
        wm_table_cell(&table, "%s", wm_bench_place(ratios.worst_size, sum->rotations).text);
        wm_table_cell(&table, "%s", wm_bench_best_native(ratios.worst_size));
    }
    wm_table_print(&table, terminal);
}

static void print_contender(const json_t *result, const char *contender, const struct wm_terminal *terminal)
{
    struct sum sum = {.contender = contender, .rotations = wm_bench_has_rotations(result)};
    const json_t *operation;
    size_t i;

    json_array_foreach (json_object_get(result, "operations"), i, operation)
        add_operation(&sum, operation);
    if (sum.count == 0)
        return;
    print(&sum, terminal);
    print_operations(result, &sum, terminal);
}

/* A row for each size that has a limit: the limit, and each contender as a multiple of it. */
static void add_limits(struct wm_table *table, const json_t *operation, const json_t *contenders, bool rotations)
{
    const json_t *size, *contender;
    size_t i, j;

    json_array_foreach (json_object_get(operation, "sizes"), i, size) {
        struct wm_bench_times flags, own;

        if (!wm_bench_read_flags(size, &flags) || flags.median_ns <= 0)
            continue;
        if (wm_bench_bytes(size) > 0)
            wm_table_cell(table, "%s, %s", wm_bench_name(operation), wm_bench_place(size, rotations).text);
        else
            wm_table_cell(table, "%s", wm_bench_name(operation));
        wm_table_cell(table, "%s", wm_time_text((int64_t)(flags.median_ns + 0.5)).text);
        json_array_foreach (contenders, j, contender)
            if (wm_bench_read_times(size, wm_bench_name(contender), &own))
                wm_table_cell(table, "%.2f", own.median_ns / flags.median_ns);
            else
                wm_table_cell(table, "-");
    }
}

static void print_limits(const json_t *result, const struct wm_terminal *terminal)
{
    const json_t *contenders = json_object_get(result, "contenders"), *contender, *operation;
    char alignment[ALIGNMENT_CHARS];
    struct wm_table table;
    size_t i;

    snprintf(alignment, sizeof alignment, "lr%.*s", (int)json_array_size(contenders), "rrrrrrrrrrrrrrrrrrrrrrrr");
    wm_table_init(&table, alignment);
    wm_table_cell(&table, "in bare exchanges of flags");
    wm_table_cell(&table, "exchange");
    json_array_foreach (contenders, i, contender)
        wm_table_cell(&table, "%s", wm_bench_name(contender));
    json_array_foreach (json_object_get(result, "operations"), i, operation)
        add_limits(&table, operation, contenders, wm_bench_has_rotations(result));
    if (table.cell_count > json_array_size(contenders) + 2)
        fputc('\n', terminal->file);
    wm_table_print(&table, terminal);
}

void wm_bench_summary(const json_t *result, const struct wm_terminal *terminal)
{
    const json_t *contender;
    size_t i;

    json_array_foreach (json_object_get(result, "contenders"), i, contender)
        if (!wm_bench_is_native(contender))
            print_contender(result, wm_bench_name(contender), terminal);
    print_limits(result, terminal);
}
