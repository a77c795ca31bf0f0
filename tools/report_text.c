/* The report's page: sections in order, each a table or a few lines. */
#include "tools/report.h"

#include <stdlib.h>
#include <string.h>
#include "tools/belts_text.h"
#include "tools/findings.h"
#include "tools/units.h"

enum { EDGES_SHOWN = 5, DEATHS_SHOWN = 8, RANKS_CHARS = 120 };

static void heading(const struct wm_page *page, const char *text)
{
    fprintf(page->file, "\n%s%s%s\n", wm_page_bold(page), text, wm_page_plain(page));
}

static const char *communicator_name(const struct wm_trace *trace, uint32_t key)
{
    const char *name = trace->communicators[key].name;

    return name[0] != '\0' ? name : "(unnamed)";
}

static int host_count(const struct wm_trace *trace)
{
    int count = 0;

    for (int i = 0; i < trace->rank_count; i++) {
        int k = 0;

        while (k < i && strcmp(trace->ranks[k].host, trace->ranks[i].host) != 0)
            k++;
        count += k == i;
    }
    return count;
}

static void print_summary(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    char line[768];
    const char *program = trace->ranks[0].program;

    snprintf(line, sizeof line, "%.200s: %s on %s for %s; map: %.200s; %s, %s lost",
             program[0] ? program : "(unknown program)", wm_number_text((uint64_t)trace->job_ranks, "rank").text,
             wm_number_text((uint64_t)host_count(trace), "host").text, wm_time_text(analysis->span_ns).text,
             trace->map_file ? trace->map_file : "none", wm_number_text(analysis->events, "event").text,
             analysis->lost ? wm_count_text(analysis->lost).text : "none");
    wm_page_wrap(page, "", line);
}

static void print_findings(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    struct wm_finding findings[WM_FINDINGS_MAX];
    int count = wm_findings_make(trace, analysis, findings);

    for (int i = 0; i < count; i++) {
        if (i == 0)
            fputs(wm_page_bold(page), page->file);
        wm_page_wrap(page, i == 0 ? "Finding: " : "   Then: ", findings[i].sentence);
        if (i == 0)
            fputs(wm_page_plain(page), page->file);
    }
    fputc('\n', page->file);
}

static void rank_cell(struct wm_table *table, const struct wm_trace *trace, const struct wm_line *line)
{
    double share;
    int late = wm_line_late_rank(line, trace->job_ranks, &share);

    if (late < 0)
        wm_table_cell(table, "-");
    else
        wm_table_cell(table, "%d (%.0f %%)", late, 100 * share);
}

static void line_row(struct wm_table *table, const struct wm_trace *trace, const struct wm_line *line)
{
    const struct wm_trace_node *node = line->node < trace->node_count ? &trace->nodes[line->node] : NULL;
    char source[256];

    if (node != NULL && node->line > 0)
        wm_table_cell(table, "%d", node->line);
    else
        wm_table_cell(table, "?");
    wm_table_cell(table, "%s", wm_count_text(line->calls).text);
    wm_table_cell(table, "%s", wm_bytes_text(line->bytes).text);
    wm_table_cell(table, "%s", wm_time_text(line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->late_ns, line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->inside_ns, line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->transfer_ns, line->time_ns).text);
    wm_table_cell(table, "%s", wm_share_text(line->work_ns + line->overhead_ns, line->time_ns).text);
    rank_cell(table, trace, line);
    wm_source_text(trace, line->node, source, sizeof source);
    wm_table_cell(table, "%s%s", line->visited ? "" : "  ", source);
}

static void table_head(struct wm_table *table, const char *const *names)
{
    for (; *names != NULL; names++)
        wm_table_cell(table, "%s", *names);
}

/* One table an operation: lines are sorted so. */
static void print_lines(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    static const char *const names[] = {"line",     "calls", "bytes",    "time",   "late", "inside",
                                        "transfer", "own",   "for rank", "source", NULL};
    struct wm_table table;
    size_t end;

    for (size_t i = 0; i < analysis->line_count && analysis->lines[i].node != 0; i = end) {
        char title[256];

        snprintf(title, sizeof title, "%s, by line of %.160s (times are sums over ranks)",
                 wm_operation_name(analysis->lines[i].operation), trace->map_file ? trace->map_file : "the map");
        heading(page, title);
        wm_table_init(&table, "rrrrrrrrrl");
        table_head(&table, names);
        for (end = i; end < analysis->line_count && analysis->lines[end].node != 0 &&
                      analysis->lines[end].operation == analysis->lines[i].operation;
             end++)
            line_row(&table, trace, &analysis->lines[end]);
        wm_table_print(&table, page);
    }
}

static void print_native(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    static const char *const names[] = {"calls", "bytes", "time", "late", "own", "for rank", "operation", NULL};
    struct wm_table table;
    bool any = false;

    wm_table_init(&table, "rrrrrrl");
    table_head(&table, names);
    for (size_t i = 0; i < analysis->line_count; i++) {
        const struct wm_line *line = &analysis->lines[i];

        if (line->node != 0)
            continue;
        any = true;
        wm_table_cell(&table, "%s", wm_count_text(line->calls).text);
        wm_table_cell(&table, "%s", wm_bytes_text(line->bytes).text);
        wm_table_cell(&table, "%s", wm_time_text(line->time_ns).text);
        wm_table_cell(&table, "%s", wm_share_text(line->late_ns, line->time_ns).text);
        wm_table_cell(&table, "%s", wm_share_text(line->time_ns - line->late_ns, line->time_ns).text);
        rank_cell(&table, trace, line);
        wm_table_cell(&table, "%s", wm_operation_function(line->operation));
    }
    if (any)
        heading(page, "Native calls: no rule of the map applies to them");
    wm_table_print(&table, page);
}

static void print_slow(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    static const char *const names[] = {"number",   "bytes", "took",      "skew",         "last rank",
                                        "begun at", "place", "operation", "communicator", NULL};
    struct wm_table table;
    char place[128];

    if (analysis->slow_count > 0)
        heading(page, "Slowest calls: first rank in to last rank out; skew is first in to last in");
    wm_table_init(&table, "rrrrrrlll");
    table_head(&table, names);
    for (int i = 0; i < analysis->slow_count; i++) {
        const struct wm_slow *slow = &analysis->slow[i];

        wm_place_text(trace, slow->node, place, sizeof place);
        wm_table_cell(&table, "#%u", slow->sequence);
        wm_table_cell(&table, "%s", wm_bytes_text(slow->bytes).text);
        wm_table_cell(&table, "%s", wm_time_text(slow->duration_ns).text);
        wm_table_cell(&table, "%s", wm_time_text(slow->skew_ns).text);
        wm_table_cell(&table, "%d", slow->last_rank);
        wm_table_cell(&table, "%s", wm_time_text(slow->begin_ns).text);
        wm_table_cell(&table, "%s", slow->node == 0 ? "native" : place);
        wm_table_cell(&table, "%s", wm_operation_name(slow->operation));
        wm_table_cell(&table, "%s", communicator_name(trace, slow->communicator));
    }
    wm_table_print(&table, page);
}

static void print_edges(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    static const char *const names[] = {"edge", "messages", "bytes", "wait", "transfer", "place", "source", NULL};
    struct wm_table table;
    char place[128], source[256];

    if (analysis->edge_count > 0)
        heading(page, "Dearest edges: time charged to messages from one rank to another, at both ends");
    wm_table_init(&table, "rrrrrll");
    table_head(&table, names);
    for (size_t i = 0; i < analysis->edge_count && i < EDGES_SHOWN; i++) {
        const struct wm_edge_cost *edge = &analysis->edges[i];

        wm_place_text(trace, edge->node, place, sizeof place);
        wm_source_text(trace, edge->node, source, sizeof source);
        wm_table_cell(&table, "%d → %d", edge->source, edge->destination);
        wm_table_cell(&table, "%s", wm_count_text(edge->messages).text);
        wm_table_cell(&table, "%s", wm_bytes_text(edge->bytes).text);
        wm_table_cell(&table, "%s", wm_time_text(edge->wait_ns).text);
        wm_table_cell(&table, "%s", wm_time_text(edge->transfer_ns).text);
        wm_table_cell(&table, "%s", place);
        wm_table_cell(&table, "%s", source);
    }
    wm_table_print(&table, page);
}

static void print_stuck(const struct wm_page *page, const struct wm_trace *trace, const struct wm_stuck *stuck)
{
    char inside[RANKS_CHARS], absent[RANKS_CHARS], line[768];

    wm_ranks_text(stuck->inside, stuck->inside_count, inside, sizeof inside);
    wm_ranks_text(stuck->absent, stuck->absent_count, absent, sizeof absent);
    snprintf(line, sizeof line, "%s #%u on %.100s, %s, since %s: inside: %s; %s%s",
             wm_operation_function(stuck->operation), stuck->sequence, communicator_name(trace, stuck->communicator),
             wm_bytes_text(stuck->bytes).text, wm_time_text(stuck->since_ns).text, inside,
             stuck->absent_count ? "never came: " : "all ranks had come", absent);
    wm_page_wrap(page, "  ", line);
    for (int i = 0; i < stuck->pending_count && i < WM_PENDING_MAX; i++) {
        const struct wm_pending *pending = &stuck->pending[i];

        fprintf(page->file, "    rank %d awaits %s rank %d: %s, since %s\n",
                pending->receive ? pending->destination : pending->source,
                pending->receive ? "a message from" : "the end of its send to",
                pending->receive ? pending->source : pending->destination, wm_bytes_text(pending->bytes).text,
                wm_time_text(pending->since_ns).text);
    }
    if (stuck->pending_count > WM_PENDING_MAX)
        fprintf(page->file, "    and %d more\n", stuck->pending_count - WM_PENDING_MAX);
}

static const char *kind_name(const struct wm_trace_record *record)
{
    static const char *const names[] = {
#define X(id, name, help) name,
        WM_TRACE_KINDS(X)
#undef X
    };

    return names[record->kind];
}

static void print_death(const struct wm_page *page, const struct wm_death *death)
{
    const struct wm_trace_rank *rank = death->rank;

    fprintf(page->file, "  rank %d (%s, process %ld): ", rank->rank, rank->host[0] ? rank->host : "?", rank->pid);
    if (death->last == NULL)
        fprintf(page->file, "no call recorded\n");
    else
        fprintf(page->file, "last record at %s: %s in call #%u, %s\n", wm_time_text(death->last_ns).text,
                kind_name(death->last), death->last->sequence,
                death->inside ? "inside that call" : "outside of any traced call");
}

static void print_deaths(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    if (analysis->death_count == 0)
        return;
    heading(page, "In flight at the end: these ranks never closed their trace");
    for (int i = 0; i < analysis->stuck_count; i++)
        print_stuck(page, trace, &analysis->stuck[i]);
    if (analysis->stuck_more > 0)
        fprintf(page->file, "  and %d more calls\n", analysis->stuck_more);
    /* Ranks outside of all calls first: they are why the others wait. */
    for (int pass = 0, shown = 0; pass < 2; pass++)
        for (int i = 0; i < analysis->death_count; i++)
            if (analysis->deaths[i].inside == (pass == 1) && shown++ < DEATHS_SHOWN)
                print_death(page, &analysis->deaths[i]);
    if (analysis->death_count > DEATHS_SHOWN)
        fprintf(page->file, "  and %d more ranks\n", analysis->death_count - DEATHS_SHOWN);
}

static void print_lost(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    const struct wm_trace_rank *worst = &trace->ranks[0];

    for (int i = 1; i < trace->rank_count; i++)
        if (trace->ranks[i].lost > worst->lost)
            worst = &trace->ranks[i];
    if (analysis->lost == 0)
        fprintf(page->file, "  events lost: none\n");
    else
        fprintf(page->file, "  events lost: %s, most by rank %d (%s of %s); %s\n", wm_count_text(analysis->lost).text,
                worst->rank, wm_count_text(worst->lost).text, wm_count_text(worst->offered).text,
                worst->full_mode ? "the quota was full: the newest are missing"
                                 : "the ring is full: the oldest are missing");
}

static void print_trace_facts(const struct wm_page *page, const struct wm_trace *trace,
                              const struct wm_analysis *analysis)
{
    heading(page, "About this trace");
    if (analysis->questions > 0)
        fprintf(page->file, "  map server: %s, %s in all, the slowest %s\n",
                wm_number_text(analysis->questions, "question").text, wm_time_text(analysis->question_ns).text,
                wm_time_text(analysis->question_max_ns).text);
    print_lost(page, trace, analysis);
    fprintf(page->file, "  clock: %s, %s, exact to %s; residual of all accounts: %s\n",
            trace->ranks[0].tsc ? "time stamp counter" : "CLOCK_MONOTONIC",
            trace->several_clocks ? "several machines" : "one machine", wm_time_text(trace->clock_error_ns).text,
            wm_time_text(analysis->residual_ns).text);
    if (trace->rank_count < trace->job_ranks)
        fprintf(page->file, "  ranks read: %d of %d; waits for the others are not seen\n", trace->rank_count,
                trace->job_ranks);
    if (analysis->incomplete > 0)
        fprintf(page->file, "  calls left out on some rank, because their enter or leave is missing: %s\n",
                wm_count_text(analysis->incomplete).text);
    if (analysis->unmatched > 0)
        fprintf(page->file, "  messages of which one side is missing: %s\n", wm_count_text(analysis->unmatched).text);
    if (analysis->unknown + analysis->belts->unknown > 0)
        fprintf(page->file, "  records without meaning, left out: %s\n",
                wm_count_text(analysis->unknown + analysis->belts->unknown).text);
}

static void print_warnings(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    char line[256];

    fputs(wm_page_warn(page), page->file);
    if (trace->several_clocks && !trace->synchronised)
        wm_page_wrap(page, "  warning: ",
                     "the ranks ran on several machines, joined by their wall clocks alone: waits between "
                     "machines are "
                     "no more exact than those");
    if (analysis->violations > 0) {
        snprintf(line, sizeof line, "%s arrived, it seems, up to %s before being sent: %s",
                 wm_number_text(analysis->violations, "message").text, wm_time_text(analysis->violation_max_ns).text,
                 analysis->violation_max_ns > 2 * trace->clock_error_ns ? "the clocks disagree by that much"
                                                                        : "no more than the clocks are exact to");
        wm_page_wrap(page, "  warning: ", line);
    }
    for (size_t i = 0; i < analysis->belts->count; i++)
        if (analysis->belts->belts[i].violations > 0) {
            const struct wm_belt *belt = &analysis->belts->belts[i];

            snprintf(line, sizeof line,
                     "%s of conveyor '%s' came, it seems, up to %s before being sent: the clocks disagree by that much",
                     wm_number_text(belt->violations, "buffer").text, belt->definition->name,
                     wm_time_text(belt->violation_max_ns).text);
            wm_page_wrap(page, "  warning: ", line);
        }
    for (size_t i = 0; i < trace->warning_count; i++)
        wm_page_wrap(page, "  warning: ", trace->warnings[i]);
    fputs(wm_page_plain(page), page->file);
}

void wm_report_print(const struct wm_page *page, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    print_findings(page, trace, analysis);
    print_summary(page, trace, analysis);
    print_deaths(page, trace, analysis);
    print_lines(page, trace, analysis);
    print_native(page, trace, analysis);
    print_slow(page, trace, analysis);
    print_edges(page, trace, analysis);
    wm_belts_print(page, trace, analysis->belts);
    print_trace_facts(page, trace, analysis);
    print_warnings(page, trace, analysis);
}
