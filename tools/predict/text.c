/* Predictions as text: a table, and where the time of a single call goes. */
#include <string.h>
#include "tools/predict/report.h"
#include "tools/text/table.h"
#include "tools/text/units.h"

enum { PARTS_SHOWN = 12, TEXT_BYTES = 512 };

static struct wm_text time_text(const struct wm_prediction *p)
{
    const char *most = p->even_bytes > 0 ? "at most " : "";
    struct wm_text text;

    if (p->native)
        snprintf(text.text, sizeof text.text, "native");
    else if (p->refused)
        snprintf(text.text, sizeof text.text, "too large");
    else if (p->error_ppm == 0)
        snprintf(text.text, sizeof text.text, "%s%.24s ± ?", most, wm_time_text((p->time + 500) / 1000).text);
    else
        snprintf(text.text, sizeof text.text, "%s%.24s ± %d %%", most, wm_time_text((p->time + 500) / 1000).text,
                 (int)((p->error_ppm + 5000) / 10000));
    return text;
}

static void print_table(const struct wm_predict_report *r, const struct wm_terminal *terminal)
{
    struct wm_table table;
    char text[WM_BLAME_CHARS];
    struct wm_model names = {.grid = &r->sites[0].grid};

    wm_table_init(&table, (const char *[]){"lrrl", "lrrrl", "lrrrrl", "lrrrrrl", "lrrrrrrl", "lrrrrrrrl", "lrrrrrrrrl",
                                           "lrrrrrrrrrl", "lrrrrrrrrrrl"}[r->map_count - 1]);
    wm_table_cell(&table, "operation");
    wm_table_cell(&table, "bytes");
    for (int m = 0; m < r->map_count; m++)
        wm_table_cell(&table, "%s", wm_predict_column_name(r, m).text);
    wm_table_cell(&table, "most of the first");
    for (size_t i = 0; i < r->row_count; i++) {
        const struct wm_prediction *first = &r->rows[i].by_map[0];

        wm_table_cell(&table, "%s", wm_operation_name(r->rows[i].operation));
        wm_table_cell(&table, "%s", r->rows[i].operation == WM_BARRIER ? "-" : wm_bytes_text(r->rows[i].bytes).text);
        for (int m = 0; m < r->map_count; m++)
            wm_table_cell(&table, "%s", time_text(&r->rows[i].by_map[m]).text);
        if (first->native || first->blame.count == 0)
            wm_table_cell(&table, "-");
        else
            wm_table_cell(&table, "%s %s", wm_share_text(first->blame.parts[0].time, first->time).text,
                          wm_blame_text(&first->blame.parts[0], &names, text));
    }
    wm_table_print(&table, terminal);
}

static void print_parts(const struct wm_prediction *p, const struct wm_model *names, const struct wm_terminal *terminal)
{
    struct wm_table table;
    char text[WM_BLAME_CHARS];

    wm_table_init(&table, "rrrrl");
    wm_table_cell(&table, "share");
    wm_table_cell(&table, "time");
    wm_table_cell(&table, "times");
    wm_table_cell(&table, "line");
    wm_table_cell(&table, "what");
    for (int i = 0; i < p->blame.count && i < PARTS_SHOWN; i++) {
        const struct wm_blame_part *part = &p->blame.parts[i];

        wm_table_cell(&table, "%s", wm_share_text(part->time, p->time).text);
        wm_table_cell(&table, "%s", wm_time_text((part->time + 500) / 1000).text);
        wm_table_cell(&table, "%d", part->count);
        if (part->line > 0)
            wm_table_cell(&table, "%d", part->line);
        else
            wm_table_cell(&table, "-");
        wm_table_cell(&table, "%s", wm_blame_text(part, names, text));
    }
    wm_table_print(&table, terminal);
}

/* Whom it was carried out for. */
static void print_quotient(const struct wm_prediction *p, int ranks, const struct wm_terminal *terminal)
{
    char text[TEXT_BYTES];
    int length;

    if (p->representatives == 0)
        return;
    length = snprintf(text, sizeof text, "Of %s, alike by symmetry, %d %s carried out.",
                      wm_number_text((uint64_t)ranks, "rank").text, p->representatives,
                      p->representatives == 1 ? "was" : "were");
    if (p->even_bytes > 0)
        snprintf(text + length, sizeof text - (size_t)length,
                 " The path cuts the data unevenly: the time is that of %s, which it cuts evenly.",
                 wm_bytes_text(p->even_bytes).text);
    wm_terminal_wrap(terminal, "", text);
}

static void print_way(const struct wm_prediction *p, const struct wm_terminal *terminal)
{
    if (p->way[0] != '\0')
        wm_terminal_wrap(terminal, "", p->way);
}

/* Those who stand for all have a core each. */
static const char *crowd_text(const struct wm_prediction *p)
{
    if (!p->crowded)
        return "";
    return p->representatives > 0 ? "crowded, cores not shared, " : "crowded, ";
}

static void print_call(const struct wm_predict_report *r, int m, const struct wm_terminal *terminal)
{
    const struct wm_prediction *p = &r->rows[0].by_map[m];
    struct wm_model names = {.grid = &r->sites[m].grid};
    char text[TEXT_BYTES], what[WM_BLAME_CHARS];

    fprintf(terminal->file, "\n%s%s%s: ", wm_terminal_bold(terminal), wm_predict_column_name(r, m).text,
            wm_terminal_plain(terminal));
    if (p->native || p->refused) {
        fprintf(terminal->file, "%s\n", p->native ? "left to the MPI library" : "too large to be carried out");
        print_way(p, terminal);
        return;
    }
    fprintf(terminal->file, "%s, %s, %s", time_text(p).text, wm_stamp_name(p->stamp), crowd_text(p));
    if (p->rule_line > 0)
        fprintf(terminal->file, "%s at line %d\n", wm_predict_is_library(r, m) ? p->label : "rule", p->rule_line);
    else
        fprintf(terminal->file, "no rule\n");
    print_way(p, terminal);
    print_parts(p, &names, terminal);
    print_quotient(p, r->sites[m].ranks, terminal);
    if (p->halved == 0)
        return;
    snprintf(text, sizeof text, "With half of %s it would take %s: %d.%02d times as fast.",
             wm_blame_text(&p->blame.parts[0], &names, what), wm_time_text((p->halved + 500) / 1000).text,
             (int)(p->time / p->halved), (int)(p->time % p->halved * 100 / p->halved));
    wm_terminal_wrap(terminal, "", text);
}

static void print_head(const struct wm_predict_report *r, const struct wm_terminal *terminal)
{
    char text[TEXT_BYTES];

    if (r->profile_name != NULL)
        snprintf(text, sizeof text, "%s on %s, by the profile %s",
                 wm_number_text((uint64_t)r->sites[0].ranks, "rank").text, r->machine, r->profile_name);
    else
        snprintf(text, sizeof text,
                 "%s on %s; nothing was measured: the figures are assumed ones of a cluster. 'waymark profile' "
                 "measures a machine, --profile takes what it wrote",
                 wm_number_text((uint64_t)r->sites[0].ranks, "rank").text, r->machine);
    wm_terminal_wrap(terminal, "", text);
}

void wm_predict_report_text(const struct wm_predict_report *r, FILE *out)
{
    struct wm_terminal terminal = wm_terminal_of(out);

    print_head(r, &terminal);
    print_table(r, &terminal);
    for (int m = 0; r->row_count == 1 && m < r->map_count; m++)
        print_call(r, m, &terminal);
}
