/* The report's sections of conveyors: tables by hop, back-pressure, watched items, and who sends to whom. */
#include "tools/report/text.h"

#include <string.h>
#include "tools/text/units.h"

enum { BLOCKS_SHOWN = 5, LINE_CHARS = 768 };

static const json_t *hops_of(const json_t *conveyor)
{
    return json_object_get(conveyor, "hops");
}

static const json_t *hop_at(const json_t *conveyor, size_t hop)
{
    return json_array_get(hops_of(conveyor), hop);
}

static bool is_elastic(const json_t *conveyor)
{
    return json_is_true(json_object_get(conveyor, "elastic"));
}

static struct wm_text count_of(const json_t *object, const char *key)
{
    return wm_count_text((uint64_t)wm_text_get(object, key));
}

static void print_title(const struct wm_text_report *text, const json_t *conveyor)
{
    int64_t node = wm_text_get(conveyor, "node");
    char place[128], line[LINE_CHARS];

    wm_text_node_place(text, node, place, sizeof place);
    fprintf(text->terminal->file, "\n%s", wm_terminal_bold(text->terminal));
    snprintf(line, sizeof line, "Conveyor '%.200s' at %s %.100s: %s, items of %s%s, buffers of %s, %d a link",
             wm_text_get_string(conveyor, "name"), place, wm_text_node_source(text, node),
             wm_number_text((uint64_t)wm_text_get(conveyor, "ranks"), "rank").text,
             is_elastic(conveyor) ? "up to " : "", wm_bytes_text((uint64_t)wm_text_get(conveyor, "item_bytes")).text,
             wm_bytes_text((uint64_t)wm_text_get(conveyor, "buffer_bytes")).text,
             (int)wm_text_get(conveyor, "buffers"));
    wm_terminal_wrap(text->terminal, "", line);
    fputs(wm_terminal_plain(text->terminal), text->terminal->file);
}

static void print_runs(const struct wm_terminal *terminal, const json_t *conveyor)
{
    int64_t run_ns = wm_text_get(conveyor, "run_ns"), advances = wm_text_get(conveyor, "advances");
    int64_t begun = wm_text_get(conveyor, "begun"), finished = wm_text_get(conveyor, "finished");
    char line[LINE_CHARS];

    snprintf(line, sizeof line,
             "%s, %s of rank time, %s of it endgame; %s pushed, %s pulled; pushes refused for want of room: %s; "
             "advances that found something to do: %s of %s (%s)",
             wm_number_text((uint64_t)wm_text_get(conveyor, "runs"), "run").text, wm_time_text(run_ns).text,
             wm_share_text(wm_text_get(conveyor, "endgame_ns"), run_ns).text,
             wm_number_text((uint64_t)wm_text_get(conveyor, "pushed"), "item").text, count_of(conveyor, "pulled").text,
             count_of(conveyor, "refused").text, count_of(conveyor, "progressed").text,
             count_of(conveyor, "advances").text, wm_share_text(wm_text_get(conveyor, "progressed"), advances).text);
    wm_terminal_wrap(terminal, "  ", line);
    if (finished < begun)
        fprintf(terminal->file, "  not complete: %lld of %lld runs of a rank\n", (long long)(begun - finished),
                (long long)begun);
}

/* ---- by hop ---- */

static void hop_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%d %s", (int)wm_text_get(cell->row, "hop") + 1, wm_text_get_string(cell->row, "axis"));
}

static void reason_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s", count_of(json_object_get(cell->row, "closed_by"), cell->key).text);
}

static void fill_cell(const struct wm_text_cell *cell)
{
    wm_table_cell(cell->table, "%s",
                  wm_share_text(wm_text_get_spread(cell->row, "fill_permille", cell->key), 1000).text);
}

static void nets_cell(const struct wm_text_cell *cell)
{
    double bytes = (double)wm_text_get(cell->row, "bytes");
    char text[128] = "";
    size_t length = 0;
    const char *net;
    json_t *over;

    json_object_foreach (json_object_get(cell->row, "bytes_over"), net, over)
        if (length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %.0f", length > 0 ? ", " : "", net,
                                       100.0 * (double)json_integer_value(over) / bytes);
    wm_table_cell(cell->table, "%s", text);
}

static void print_buffers(const struct wm_text_report *text, const json_t *conveyor)
{
    const struct wm_text_column columns[] = {
        {"hop", 'l', hop_cell, NULL, NULL, NULL},
        {"buffers", 'r', wm_text_count, "buffers", NULL, NULL},
        {"full", 'r', reason_cell, "full", NULL, NULL},
        {"flush", 'r', reason_cell, "flush", NULL, NULL},
        {"urgent", 'r', reason_cell, "urgent", NULL, NULL},
        {"endgame", 'r', reason_cell, "endgame", NULL, NULL},
        {"fill", 'r', fill_cell, "median", NULL, NULL},
        {"p95", 'r', fill_cell, "p95", NULL, NULL},
        {"under ¼", 'r', wm_text_share, "meagre", "buffers", NULL},
        {is_elastic(conveyor) ? "units" : "items", 'r', wm_text_count, "units", NULL, NULL},
        {"bytes", 'r', wm_text_bytes, "bytes", NULL, NULL},
        {"nets, %", 'l', nets_cell, NULL, NULL, NULL},
        {0},
    };

    wm_text_print_table(text, NULL, columns, &(struct wm_text_rows){hops_of(conveyor), 0, NULL, NULL});
}

static void print_times(const struct wm_text_report *text, const json_t *conveyor)
{
    static const struct wm_text_column columns[] = {
        {"hop", 'l', hop_cell, NULL, NULL, NULL},
        {"filling", 'r', wm_text_median, "filling", NULL, NULL},
        {"p95", 'r', wm_text_p95, "filling", NULL, NULL},
        {"under way", 'r', wm_text_median, "under_way", NULL, NULL},
        {"p95", 'r', wm_text_p95, "under_way", NULL, NULL},
        {"at inlet", 'r', wm_text_median, "at_inlet", NULL, NULL},
        {"p95", 'r', wm_text_p95, "at_inlet", NULL, NULL},
        {"links", 'r', wm_text_count, "links", NULL, NULL},
        {"closed", 'r', wm_text_count, "units", NULL, NULL},
        {"taken", 'r', wm_text_count, "taken", NULL, NULL},
        {0},
    };

    wm_text_print_table(text, NULL, columns, &(struct wm_text_rows){hops_of(conveyor), 0, NULL, NULL});
}

/* Chunks that were taken before anybody pulled from them: at the end ranks look for what has ended. */
static void print_early(const struct wm_terminal *terminal, const json_t *conveyor)
{
    const json_t *early = json_object_get(hop_at(conveyor, json_array_size(hops_of(conveyor)) - 1), "early");

    if (early != NULL)
        fprintf(terminal->file, "  %s came before a pull asked for them: by %s, p95 %s\n",
                wm_number_text((uint64_t)wm_text_get(early, "n"), "chunk").text,
                wm_time_text(wm_text_get(early, "median_ns")).text, wm_time_text(wm_text_get(early, "p95_ns")).text);
}

static bool is_whole(const json_t *run)
{
    return wm_text_get(run, "ranks_read") == wm_text_get(run, "ranks") && wm_text_get(run, "lost") == 0;
}

/* What must hold in a trace that is whole; where it does not, the trace or the conveyor is at fault. */
static void print_identities(const struct wm_text_report *text, const json_t *conveyor)
{
    int64_t links = 0, uneven = 0, last = 0, pushed = wm_text_get(conveyor, "pushed");
    const json_t *hop;
    char line[LINE_CHARS];
    size_t i;

    json_array_foreach (hops_of(conveyor), i, hop) {
        links += wm_text_get(hop, "links");
        uneven += wm_text_get(hop, "uneven_links");
        last = wm_text_get(hop, "units");
    }
    snprintf(line, sizeof line,
             "units closed are units taken on %s of %s; items pulled are %s pushed%s; item times: residual %s%s",
             wm_count_text((uint64_t)(links - uneven)).text, wm_number_text((uint64_t)links, "link").text,
             wm_text_get(conveyor, "pulled") == pushed ? "those" : "NOT those",
             is_elastic(conveyor) ? ""
             : last == pushed     ? ", and those of the last hop"
                                  : ", and NOT those of the last hop",
             wm_time_text(wm_text_get(conveyor, "residual_ns")).text,
             is_whole(json_object_get(text->report, "run")) ? "" : " (records are missing: not all can agree)");
    wm_terminal_wrap(text->terminal, "  identities: ", line);
}

static void print_sizes(const struct wm_terminal *terminal, const json_t *conveyor)
{
    const json_t *hop, *size;
    size_t h, i;

    fprintf(terminal->file, "  buffers by size, from … up to twice as much:\n");
    json_array_foreach (hops_of(conveyor), h, hop) {
        char line[LINE_CHARS] = "", first[64];
        size_t length = 0;

        json_array_foreach (json_object_get(hop, "sizes"), i, size)
            if (length < sizeof line)
                length += (size_t)snprintf(line + length, sizeof line - length, "%s%s: %s", length > 0 ? ", " : "",
                                           wm_bytes_text((uint64_t)wm_text_get(size, "bytes")).text,
                                           count_of(size, "buffers").text);
        snprintf(first, sizeof first, "    hop %zu: ", h + 1);
        if (length > 0)
            wm_terminal_wrap(terminal, first, line);
    }
}

/* ---- back-pressure ---- */

static void root_cell(const struct wm_text_cell *cell)
{
    int root = (int)wm_text_get(cell->row, "root"), to = (int)wm_text_get(cell->row, "to");

    wm_table_cell(cell->table, root == to ? "rank %d" : "rank %d, for which %d waits", root, to);
}

static void print_blocks(const struct wm_text_report *text, const json_t *conveyor)
{
    static const struct wm_text_column columns[] = {
        {"waits", 'r', wm_text_number, "from", NULL, NULL},
        {"for", 'r', wm_text_number, "to", NULL, NULL},
        {"hop", 'l', hop_cell, NULL, NULL, NULL},
        {"times", 'r', wm_text_count, "times", NULL, NULL},
        {"waited", 'r', wm_text_time, "ns", NULL, NULL},
        {"because of", 'l', root_cell, NULL, NULL, NULL},
        {0},
    };
    const json_t *blocks = json_object_get(conveyor, "blocks");

    if (json_array_size(blocks) > 0)
        fprintf(text->terminal->file, "  links without room: %s in all\n",
                wm_time_text(wm_text_get(conveyor, "blocked_ns")).text);
    wm_text_print_table(text, NULL, columns, &(struct wm_text_rows){blocks, BLOCKS_SHOWN, NULL, NULL});
}

/* ---- watched items ---- */

static void print_watched(const struct wm_terminal *terminal, const json_t *conveyor)
{
    const json_t *hop;
    char line[LINE_CHARS];
    size_t length, i;

    if (wm_text_get(conveyor, "watched") == 0)
        return;
    length = (size_t)snprintf(line, sizeof line,
                              "one in %s was to be watched: %s (each the first of its buffer), %s seen to the end; "
                              "from push to arrival %s, p95 %s: ",
                              count_of(conveyor, "sample").text, count_of(conveyor, "watched").text,
                              count_of(conveyor, "arrived").text,
                              wm_time_text(wm_text_get_spread(conveyor, "item", "median_ns")).text,
                              wm_time_text(wm_text_get_spread(conveyor, "item", "p95_ns")).text);
    json_array_foreach (hops_of(conveyor), i, hop) {
        if (i > 0 && length < sizeof line)
            length += (size_t)snprintf(line + length, sizeof line - length, ", relay %s, ",
                                       wm_time_text(wm_text_get_spread(hop, "relay", "median_ns")).text);
        if (length < sizeof line)
            length += (size_t)snprintf(line + length, sizeof line - length, "hop %zu %s", i + 1,
                                       wm_time_text(wm_text_get_spread(hop, "item", "median_ns")).text);
    }
    wm_terminal_wrap(terminal, "  items: ", line);
}

/* ---- who sends to whom ---- */

static char shade(int64_t units, int64_t most)
{
    static const char shades[] = ".:-=+*#%@";
    size_t last = sizeof shades - 2;

    if (units == 0)
        return ' ';
    return shades[most <= 1 ? last : (size_t)((double)(units - 1) / (double)(most - 1) * (double)last)];
}

static bool node_begins(const json_t *conveyor, size_t rank)
{
    const json_t *nodes = json_object_get(conveyor, "nodes");

    return rank > 0 && nodes != NULL &&
           json_integer_value(json_array_get(nodes, rank)) != json_integer_value(json_array_get(nodes, rank - 1));
}

static void print_row(const struct wm_terminal *terminal, const json_t *conveyor, const json_t *row, int64_t first_rank,
                      int64_t most)
{
    const json_t *units;
    uint64_t sum = 0;
    size_t column;

    fprintf(terminal->file, "  %7d |", (int)first_rank);
    json_array_foreach (row, column, units) {
        fprintf(terminal->file, "%s%c", node_begins(conveyor, column) ? "|" : "",
                shade(json_integer_value(units), most));
        sum += (uint64_t)json_integer_value(units);
    }
    fprintf(terminal->file, "| %s\n", wm_count_text(sum).text);
}

static int64_t most_of(const json_t *sent)
{
    const json_t *row, *units;
    int64_t most = 0;
    size_t i, j;

    json_array_foreach (sent, i, row)
        json_array_foreach (row, j, units)
            most = json_integer_value(units) > most ? json_integer_value(units) : most;
    return most;
}

static void print_sent(const struct wm_terminal *terminal, const json_t *conveyor, size_t number)
{
    const json_t *hop = hop_at(conveyor, number), *sent = json_object_get(hop, "sent"), *row;
    int64_t ranks = wm_text_get(conveyor, "ranks"), rows = (int64_t)json_array_size(sent), most = most_of(sent);
    size_t i;

    if (most == 0)
        return;
    fprintf(terminal->file, "  hop %zu %s: %s handed by each rank to each%s; @ is %s\n", number + 1,
            wm_text_get_string(hop, "axis"), is_elastic(conveyor) ? "units" : "items",
            rows < ranks ? ", groups of ranks" : "", wm_count_text((uint64_t)most).text);
    json_array_foreach (sent, i, row)
        print_row(terminal, conveyor, row, (int64_t)i * ranks / rows, most);
}

void wm_text_print_conveyors(const struct wm_text_report *text)
{
    const json_t *conveyor;
    size_t i;

    json_array_foreach (json_object_get(text->report, "conveyors"), i, conveyor) {
        print_title(text, conveyor);
        print_runs(text->terminal, conveyor);
        print_buffers(text, conveyor);
        print_times(text, conveyor);
        print_early(text->terminal, conveyor);
        print_identities(text, conveyor);
        print_sizes(text->terminal, conveyor);
        print_blocks(text, conveyor);
        print_watched(text->terminal, conveyor);
        for (size_t hop = 0; hop < json_array_size(hops_of(conveyor)); hop++)
            print_sent(text->terminal, conveyor, hop);
    }
}
