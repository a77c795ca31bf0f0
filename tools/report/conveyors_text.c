/* The report's sections of conveyors: tables by hop, back-pressure, watched items, and who sends to whom. */
#include "tools/report/conveyors_text.h"

#include <stdio.h>
#include <string.h>
#include "tools/findings/findings.h"
#include "tools/text/units.h"

enum { BLOCKS_SHOWN = 5, LINE_CHARS = 768 };

static void head(struct wm_table *table, const char *alignment, const char *const *names)
{
    wm_table_init(table, alignment);
    for (; *names != NULL; names++)
        wm_table_cell(table, "%s", *names);
}

static void time_cells(struct wm_table *table, struct wm_spread *spread)
{
    for (int percent = 50; percent <= 95; percent += 45)
        wm_table_cell(table, "%s", spread->count > 0 ? wm_time_text(wm_spread_at(spread, percent)).text : "-");
}

static void print_title(const struct wm_page *page, const struct wm_trace *trace,
                        const struct wm_conveyor_totals *conveyor)
{
    const struct wm_trace_conveyor *d = conveyor->definition;
    char source[256], place[128], line[LINE_CHARS];

    fprintf(page->file, "\n%s", wm_page_bold(page));
    wm_place_text(trace, (uint16_t)d->node, place, sizeof place);
    wm_source_text(trace, (uint16_t)d->node, source, sizeof source);
    snprintf(line, sizeof line, "Conveyor '%s' at %s %.100s: %s, items of %s%s, buffers of %s, %d a link", d->name,
             place, source, wm_number_text((uint64_t)conveyor->ranks, "rank").text, d->elastic ? "up to " : "",
             wm_bytes_text(d->item_bytes).text, wm_bytes_text(d->units * (d->unit_bytes + d->tag_bytes)).text,
             d->buffers);
    wm_page_wrap(page, "", line);
    fputs(wm_page_plain(page), page->file);
}

static void print_runs(const struct wm_page *page, const struct wm_conveyor_totals *conveyor)
{
    char line[LINE_CHARS];

    snprintf(
        line, sizeof line,
        "%s, %s of rank time, %s of it endgame; %s pushed, %s pulled; pushes refused for want of room: %s; advances "
        "that found something to do: %s of %s (%s)",
        wm_number_text(conveyor->runs, "run").text, wm_time_text(conveyor->run_ns).text,
        wm_share_text(conveyor->endgame_ns, conveyor->run_ns).text, wm_number_text(conveyor->pushed, "item").text,
        wm_count_text(conveyor->pulled).text, wm_count_text(conveyor->refused).text,
        wm_count_text(conveyor->progressed).text, wm_count_text(conveyor->advances).text,
        wm_share_text((int64_t)conveyor->progressed, (int64_t)conveyor->advances).text);
    wm_page_wrap(page, "  ", line);
    if (conveyor->finished < conveyor->begun)
        fprintf(page->file, "  not complete: %llu of %llu runs of a rank\n",
                (unsigned long long)(conveyor->begun - conveyor->finished), (unsigned long long)conveyor->begun);
}

static void nets_cell(struct wm_table *table, const struct wm_hop_totals *hop)
{
    static const char *const names[WM_CONVEYOR_NETS] = {"self", "shm", "mpi", "bulk"};
    char text[128] = "";
    size_t length = 0;

    for (int net = 0; net < WM_CONVEYOR_NETS; net++)
        if (hop->bytes_over[net] > 0)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %.0f", length > 0 ? ", " : "",
                                       names[net], 100.0 * (double)hop->bytes_over[net] / (double)hop->bytes);
    wm_table_cell(table, "%s", text);
}

static void print_buffers(const struct wm_page *page, struct wm_conveyor_totals *conveyor)
{
    const char *const names[] = {
        "hop",     "buffers", "full", "flush",   "urgent",
        "endgame", "fill",    "p95",  "under ¼", conveyor->definition->elastic ? "units" : "items",
        "bytes",   "nets, %", NULL};
    struct wm_table table;

    head(&table, "lrrrrrrrrrrl", names);
    for (int i = 0; i < conveyor->hop_count; i++) {
        struct wm_hop_totals *hop = &conveyor->hops[i];

        wm_table_cell(&table, "%d %s", i + 1, hop->axis);
        wm_table_cell(&table, "%s", wm_count_text(hop->buffers).text);
        for (int reason = 0; reason < WM_CONVEYOR_REASONS; reason++)
            wm_table_cell(&table, "%s", wm_count_text(hop->closed_by[reason]).text);
        wm_table_cell(&table, "%s", wm_share_text(wm_spread_at(&hop->fill_permille, 50), 1000).text);
        wm_table_cell(&table, "%s", wm_share_text(wm_spread_at(&hop->fill_permille, 95), 1000).text);
        wm_table_cell(&table, "%s", wm_share_text((int64_t)hop->meagre, (int64_t)hop->buffers).text);
        wm_table_cell(&table, "%s", wm_count_text(hop->units).text);
        wm_table_cell(&table, "%s", wm_bytes_text(hop->bytes).text);
        nets_cell(&table, hop);
    }
    wm_table_print(&table, page);
}

static void print_times(const struct wm_page *page, struct wm_conveyor_totals *conveyor)
{
    static const char *const names[] = {"hop", "filling", "p95",    "under way", "p95", "at inlet",
                                        "p95", "links",   "closed", "taken",     NULL};
    struct wm_table table;

    head(&table, "lrrrrrrrrr", names);
    for (int i = 0; i < conveyor->hop_count; i++) {
        struct wm_hop_totals *hop = &conveyor->hops[i];

        wm_table_cell(&table, "%d %s", i + 1, hop->axis);
        time_cells(&table, &hop->fill_ns);
        time_cells(&table, &hop->hop_ns);
        time_cells(&table, &hop->stay_ns);
        wm_table_cell(&table, "%s", wm_count_text(hop->links).text);
        wm_table_cell(&table, "%s", wm_count_text(hop->units).text);
        wm_table_cell(&table, "%s", wm_count_text(hop->taken).text);
    }
    wm_table_print(&table, page);
}

/* Chunks that were taken before anybody pulled from them: at the end ranks look for what has ended. */
static void print_early(const struct wm_page *page, struct wm_conveyor_totals *conveyor)
{
    struct wm_spread *early = &conveyor->hops[conveyor->hop_count - 1].early_ns;

    if (early->count > 0)
        fprintf(page->file, "  %s came before a pull asked for them: by %s, p95 %s\n",
                wm_number_text(early->count, "chunk").text, wm_time_text(wm_spread_at(early, 50)).text,
                wm_time_text(wm_spread_at(early, 95)).text);
}

static bool is_whole(const struct wm_trace *trace)
{
    bool whole = trace->rank_count == trace->job_ranks;

    for (int i = 0; i < trace->rank_count; i++)
        whole = whole && trace->ranks[i].lost == 0;
    return whole;
}

/* What must hold in a trace that is whole; where it does not, the trace or the conveyor is at fault. */
static void print_identities(const struct wm_page *page, const struct wm_trace *trace,
                             const struct wm_conveyor_totals *conveyor)
{
    uint64_t links = 0, uneven = 0, last = conveyor->hops[conveyor->hop_count - 1].units;
    char line[LINE_CHARS];

    for (int i = 0; i < conveyor->hop_count; i++) {
        links += conveyor->hops[i].links;
        uneven += conveyor->hops[i].uneven_links;
    }
    snprintf(line, sizeof line,
             "units closed are units taken on %s of %s; items pulled are %s pushed%s; item times: residual %s%s",
             wm_count_text(links - uneven).text, wm_number_text(links, "link").text,
             conveyor->pulled == conveyor->pushed ? "those" : "NOT those",
             conveyor->definition->elastic ? ""
             : last == conveyor->pushed    ? ", and those of the last hop"
                                           : ", and NOT those of the last hop",
             wm_time_text(conveyor->residual_ns).text,
             is_whole(trace) ? "" : " (records are missing: not all can agree)");
    wm_page_wrap(page, "  identities: ", line);
}

static void print_sizes(const struct wm_page *page, const struct wm_conveyor_totals *conveyor)
{
    fprintf(page->file, "  buffers by size, from … up to twice as much:\n");
    for (int i = 0; i < conveyor->hop_count; i++) {
        char line[LINE_CHARS], first[64];
        size_t length = 0;

        line[0] = '\0';
        for (int size = 0; size < WM_CONVEYOR_SIZES && length < sizeof line; size++)
            if (conveyor->hops[i].sizes[size] > 0)
                length += (size_t)snprintf(line + length, sizeof line - length, "%s%s: %s", length > 0 ? ", " : "",
                                           wm_bytes_text(UINT64_C(1) << size).text,
                                           wm_count_text(conveyor->hops[i].sizes[size]).text);
        snprintf(first, sizeof first, "    hop %d: ", i + 1);
        if (length > 0)
            wm_page_wrap(page, first, line);
    }
}

static void print_blocks(const struct wm_page *page, const struct wm_conveyor_totals *conveyor)
{
    static const char *const names[] = {"waits", "for", "hop", "times", "waited", "because of", NULL};
    struct wm_table table;

    if (conveyor->block_count > 0)
        fprintf(page->file, "  links without room: %s in all\n", wm_time_text(conveyor->blocked_ns).text);
    head(&table, "rrlrrl", names);
    for (size_t i = 0; i < conveyor->block_count && i < BLOCKS_SHOWN; i++) {
        const struct wm_conveyor_block *block = &conveyor->blocks[i];

        wm_table_cell(&table, "%d", block->from);
        wm_table_cell(&table, "%d", block->to);
        wm_table_cell(&table, "%d %s", block->hop + 1, conveyor->hops[block->hop].axis);
        wm_table_cell(&table, "%s", wm_count_text(block->times).text);
        wm_table_cell(&table, "%s", wm_time_text(block->ns).text);
        wm_table_cell(&table, block->root == block->to ? "rank %d" : "rank %d, for which %d waits", block->root,
                      block->to);
    }
    wm_table_print(&table, page);
}

static void print_watched(const struct wm_page *page, struct wm_conveyor_totals *conveyor)
{
    char line[LINE_CHARS];
    size_t length;

    if (conveyor->watched == 0)
        return;
    length = (size_t)snprintf(
        line, sizeof line,
        "one in %s was to be watched: %s (each the first of its buffer), %s seen to the end; from "
        "push to arrival %s, p95 %s: ",
        wm_count_text(UINT64_C(1) << conveyor->definition->sample).text, wm_count_text(conveyor->watched).text,
        wm_count_text(conveyor->arrived).text, wm_time_text(wm_spread_at(&conveyor->item_ns, 50)).text,
        wm_time_text(wm_spread_at(&conveyor->item_ns, 95)).text);
    for (int i = 0; i < conveyor->hop_count && length < sizeof line; i++) {
        if (i > 0)
            length += (size_t)snprintf(line + length, sizeof line - length, "relay %s, ",
                                       wm_time_text(wm_spread_at(&conveyor->relay_item_ns[i], 50)).text);
        if (length < sizeof line)
            length += (size_t)snprintf(line + length, sizeof line - length, "hop %d %s%s", i + 1,
                                       wm_time_text(wm_spread_at(&conveyor->hop_item_ns[i], 50)).text,
                                       i < conveyor->hop_count - 1 ? ", " : "");
    }
    wm_page_wrap(page, "  items: ", line);
}

/* ---- who sends to whom ---- */

static char shade(uint64_t units, uint64_t most)
{
    static const char shades[] = ".:-=+*#%@";
    size_t last = sizeof shades - 2;

    if (units == 0)
        return ' ';
    return shades[most <= 1 ? last : (size_t)((double)(units - 1) / (double)(most - 1) * (double)last)];
}

static bool node_begins(const struct wm_conveyor_totals *conveyor, int rank)
{
    const struct wm_trace_conveyor *d = conveyor->definition;

    return rank > 0 && conveyor->cells == conveyor->ranks && d->node_count == conveyor->ranks &&
           d->nodes[rank] != d->nodes[rank - 1];
}

static void print_row(const struct wm_page *page, const struct wm_conveyor_totals *conveyor,
                      const struct wm_hop_totals *hop, int row, uint64_t most)
{
    uint64_t sum = 0;

    fprintf(page->file, "  %7d |", (int)((int64_t)row * conveyor->ranks / conveyor->cells));
    for (int column = 0; column < conveyor->cells; column++) {
        uint64_t units = hop->sent[row * conveyor->cells + column];

        fprintf(page->file, "%s%c", node_begins(conveyor, column) ? "|" : "", shade(units, most));
        sum += units;
    }
    fprintf(page->file, "| %s\n", wm_count_text(sum).text);
}

static void print_map(const struct wm_page *page, const struct wm_conveyor_totals *conveyor, int number)
{
    const struct wm_hop_totals *hop = &conveyor->hops[number];
    uint64_t most = 0;

    for (int i = 0; i < conveyor->cells * conveyor->cells; i++)
        most = hop->sent[i] > most ? hop->sent[i] : most;
    if (most == 0)
        return;
    fprintf(page->file, "  hop %d %s: %s handed by each rank to each%s; @ is %s\n", number + 1, hop->axis,
            conveyor->definition->elastic ? "units" : "items",
            conveyor->cells < conveyor->ranks ? ", groups of ranks" : "", wm_count_text(most).text);
    for (int row = 0; row < conveyor->cells; row++)
        print_row(page, conveyor, hop, row, most);
}

static void print_conveyor(const struct wm_page *page, const struct wm_trace *trace,
                           struct wm_conveyor_totals *conveyor)
{
    print_title(page, trace, conveyor);
    print_runs(page, conveyor);
    print_buffers(page, conveyor);
    print_times(page, conveyor);
    print_early(page, conveyor);
    print_identities(page, trace, conveyor);
    print_sizes(page, conveyor);
    print_blocks(page, conveyor);
    print_watched(page, conveyor);
    for (int hop = 0; hop < conveyor->hop_count; hop++)
        print_map(page, conveyor, hop);
}

void wm_conveyors_print(const struct wm_page *page, const struct wm_trace *trace, struct wm_conveyor_table *conveyors)
{
    for (size_t i = 0; i < conveyors->count; i++)
        print_conveyor(page, trace, &conveyors->conveyors[i]);
}
