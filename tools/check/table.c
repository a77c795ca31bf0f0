/* waymark check: the table of rules, and what failed. */
#include "tools/check/table.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include "tools/text/table.h"
#include "tools/text/units.h"

enum { TEXT_BYTES = 768, HOPS_BYTES = 96 };

static const char *verdict_of(const struct wm_check_row *row)
{
    static const char *const verdicts[] = {[WM_CHECK_PROVEN] = "proven",
                                           [WM_CHECK_REFUTED] = "REFUTED",
                                           [WM_CHECK_REFUSED] = "REFUSED",
                                           [WM_CHECK_TOO_LARGE] = "TOO LARGE"};

    if (row->symmetric > 0 && row->failures == 0)
        return "by symmetry";
    return row->calls == 0 ? "native" : verdicts[row->first.outcome];
}

/* A size to the byte: in the largest unit that it is a multiple of. */
static struct wm_text size_text(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    struct wm_text text;
    int unit = 0;

    for (; unit < 4 && bytes > 0 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    snprintf(text.text, sizeof text.text, "%" PRIu64 " %s", bytes, units[unit]);
    return text;
}

static struct wm_text sizes_of(const struct wm_check_row *row)
{
    struct wm_text text;

    if (row->operation == WM_BARRIER || !wm_operation_bytes_shared(row->operation) ||
        (row->bytes_low == 0 && row->bytes_high == UINT64_MAX))
        snprintf(text.text, sizeof text.text, "any");
    else if (row->bytes_high == row->bytes_low)
        return size_text(row->bytes_low);
    else if (row->bytes_high == UINT64_MAX)
        snprintf(text.text, sizeof text.text, "from %.20s", size_text(row->bytes_low).text);
    else
        snprintf(text.text, sizeof text.text, "%.20s to %.20s", size_text(row->bytes_low).text,
                 size_text(row->bytes_high).text);
    return text;
}

static void add_figures(struct wm_table *table, const struct wm_check_row *row)
{
    const struct wm_proof *f = &row->figures.plans;
    bool conveyor = row->operation == WM_CONVEYOR && row->ranks > 0;

    if (conveyor)
        wm_table_cell(table, "%d", row->figures.routes.hops_most);
    if (conveyor || wm_operation_data(row->operation) == WM_DATA_MESSAGES || row->ranks == 0) {
        for (int i = conveyor; i < 4; i++)
            wm_table_cell(table, "-");
        return;
    }
    wm_table_cell(table, "%d", f->rounds);
    wm_table_cell(table, "%s", wm_count_text(f->messages).text);
    wm_table_cell(table, "%s", wm_bytes_text(f->rank_units * row->unit_bytes).text);
    wm_table_cell(table, "%s", f->link_units > 0 ? wm_bytes_text(f->link_units * row->unit_bytes).text : "-");
}

static void print_rows(const struct wm_terminal *terminal, const struct wm_check_result *result)
{
    static const char *const heads[] = {"operation", "bytes", "line",  "rounds",  "messages",
                                        "rank",      "link",  "calls", "verdict", "path"};
    struct wm_table table;

    wm_table_init(&table, "llrrrrrrll");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        wm_table_cell(&table, "%s", heads[i]);
    for (int i = 0; i < result->row_count; i++) {
        const struct wm_check_row *row = &result->rows[i];

        wm_table_cell(&table, "%s", wm_operation_name(row->operation));
        wm_table_cell(&table, "%s", sizes_of(row).text);
        if (row->rule_line > 0)
            wm_table_cell(&table, "%d", row->rule_line);
        else
            wm_table_cell(&table, "-");
        add_figures(&table, row);
        wm_table_cell(&table, "%zu", row->calls);
        wm_table_cell(&table, "%s", verdict_of(row));
        wm_table_cell(&table, "%s", row->path);
    }
    wm_table_print(&table, terminal);
}

/* "1 to 3 hops, 2.78 on average". */
static void hops_text(const struct wm_convey_proof *r, char out[HOPS_BYTES])
{
    size_t hundredths = r->hops_sum * 100 / r->pairs;

    if (r->hops_least == r->hops_most)
        snprintf(out, HOPS_BYTES, "%s", wm_number_text((uint64_t)r->hops_most, "hop").text);
    else
        snprintf(out, HOPS_BYTES, "%d to %d hops, %zu.%02zu on average", r->hops_least, r->hops_most, hundredths / 100,
                 hundredths % 100);
}

/* What is proven of a conveyor, on the largest machine. */
static void print_routes(const struct wm_terminal *terminal, const struct wm_check_row *row)
{
    const struct wm_convey_proof *r = &row->figures.routes;
    char text[TEXT_BYTES], tags[TEXT_BYTES / 4] = "", hops[HOPS_BYTES];

    hops_text(r, hops);
    if (r->tag_bits > 0)
        snprintf(tags, sizeof tags, "; tags of %s fit in %s", wm_number_text((uint64_t)r->tag_bits, "bit").text,
                 wm_number_text((uint64_t)r->tag_bytes, "byte").text);
    snprintf(text, sizeof text,
             "conveyor, rule at line %d: %s%s of %s are connected, each by one way, of %s; the ends of %s agree%s; "
             "%s of buffers for buffers, none in a circle",
             row->rule_line, wm_number_text(r->pairs, "pair").text, r->sampled ? ", a sample," : "",
             wm_number_text((uint64_t)r->ranks, "rank").text, hops, wm_number_text(r->links, "link").text, tags,
             wm_number_text(r->waits, "wait").text);
    fputc('\n', terminal->file);
    wm_terminal_wrap(terminal, "", text);
}

/* What stands for what, and what was not looked at. */
static void print_symmetry(const struct wm_terminal *terminal, const struct wm_check_row *row)
{
    const struct wm_proof *p = &row->symmetry;
    bool whole = wm_operation_data(row->operation) == WM_DATA_WHOLE && row->operation != WM_BARRIER;
    char text[TEXT_BYTES + WM_CHECK_MACHINE_CHARS], sizes[TEXT_BYTES / 2] = "";

    if (row->apart)
        snprintf(sizes, sizeof sizes,
                 "; where the operator does not commute, they stand for what all send, and what ranks combine is "
                 "looked at of them and of the last %s alone, or of all of up to 128",
                 wm_count_text((uint64_t)p->representatives).text);
    if (whole)
        snprintf(
            sizes, sizeof sizes,
            "; of data that the path cuts into even shares, as %s units; and that all ranks end with equal bits is "
            "not looked at",
            wm_count_text(p->each).text);
    snprintf(text, sizeof text,
             "%s, rule at line %d: %zu of %zu calls are proven by symmetry, on %s: to %s leaves the machine as it is, "
             "so %s of them, carried out, can stand for all; the plans of %s were made besides and are alike%s",
             wm_operation_name(row->operation), row->rule_line, row->symmetric, row->calls, row->symmetric_machine,
             p->flips ? "flip bits of all ranks' numbers" : "turn all ranks",
             wm_count_text((uint64_t)p->representatives).text, wm_number_text((uint64_t)p->compared, "other").text,
             sizes);
    fputc('\n', terminal->file);
    wm_terminal_wrap(terminal, "", text);
}

/* Uneven blocks that are not of any size. */
static void print_period(const struct wm_terminal *terminal, const struct wm_check_row *row)
{
    char text[TEXT_BYTES + WM_CHECK_MACHINE_CHARS];

    snprintf(text, sizeof text,
             "%s, rule at line %d: in %zu of %zu calls, on %s, the sizes of uneven blocks repeat after %s; other "
             "sizes are not proven",
             wm_operation_name(row->operation), row->rule_line, row->repeating, row->calls, row->repeating_machine,
             wm_number_text((uint64_t)row->period, "rank").text);
    fputc('\n', terminal->file);
    wm_terminal_wrap(terminal, "", text);
}

static void print_failure(const struct wm_terminal *terminal, const struct wm_check_row *row)
{
    const struct wm_check_failure *f = &row->first;
    const struct wm_scenario *s = &f->scenario;
    char text[WM_ERROR_FILE_CHARS + WM_ERROR_TEXT_CHARS + 2 * WM_ERROR_EXCERPT_CHARS];

    fprintf(terminal->file, "\n%s%s, rule at line %d: %s%s", wm_terminal_warn(terminal),
            wm_operation_name(row->operation), row->rule_line, verdict_of(row), wm_terminal_plain(terminal));
    fprintf(terminal->file, " on %s with %s%s", f->machine, row->operation == WM_CONVEYOR ? "items of " : "",
            size_text((uint64_t)s->each * s->unit_bytes).text);
    if (wm_operation_rooted(row->operation))
        fprintf(terminal->file, ", root %d", s->root);
    fprintf(terminal->file, "%s%s%s\n", s->in_place ? ", in place" : "", s->uneven ? ", uneven blocks" : "",
            s->commutative ? "" : ", operator does not commute");
    wm_error_format(&f->error, text, sizeof text);
    fprintf(terminal->file, "%s", text);
    if (row->failures > 1)
        fprintf(terminal->file, "%zu of %zu calls fail.\n", row->failures, row->calls);
}

/* Rules that no call fell under: nothing is proven of them. */
static void print_idle(const struct wm_terminal *terminal, const struct wm_check_result *result)
{
    char text[TEXT_BYTES], count[32];

    for (size_t i = 0; i < result->rule_count; i++) {
        if (result->rules[i].held)
            continue;
        snprintf(text, sizeof text, "no call that was checked falls under the rule of %s at line %d",
                 wm_operation_name(result->rules[i].operation), result->rules[i].line);
        wm_terminal_wrap(terminal, "", text);
    }
    for (int operation = 0; operation < WM_OPERATION_COUNT; operation++) {
        if (result->untried[operation] == 0 || result->untried[operation] == INT_MAX)
            continue;
        snprintf(count, sizeof count, "%d rules", result->untried[operation]);
        snprintf(text, sizeof text, "no call comes to the last %s of %s: those before take all",
                 result->untried[operation] == 1 ? "rule" : count, wm_operation_name((enum wm_operation)operation));
        wm_terminal_wrap(terminal, "", text);
    }
}

void wm_check_print(FILE *out, const struct wm_site_map *map, const struct wm_check_result *result)
{
    struct wm_terminal terminal = wm_terminal_of(out);
    char symmetric[48] = "";

    print_rows(&terminal, result);
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].operation == WM_CONVEYOR && result->rows[i].ranks > 0)
            print_routes(&terminal, &result->rows[i]);
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].symmetric > 0)
            print_symmetry(&terminal, &result->rows[i]);
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].repeating > 0)
            print_period(&terminal, &result->rows[i]);
    print_idle(&terminal, result);
    for (int i = 0; i < result->row_count; i++)
        if (result->rows[i].failures > 0)
            print_failure(&terminal, &result->rows[i]);
    if (result->symmetric > 0)
        snprintf(symmetric, sizeof symmetric, ", %zu by symmetry,", result->symmetric);
    fprintf(out, "\n%s%s: %zu of %zu calls proven%s on %s%s\n",
            result->failures > 0 ? wm_terminal_warn(&terminal) : wm_terminal_bold(&terminal), map->file,
            result->calls - result->failures, result->calls, symmetric,
            wm_number_text((uint64_t)result->machines, "machine").text, wm_terminal_plain(&terminal));
}
