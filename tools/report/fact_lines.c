/* The report's foot: what is known of the trace itself, what it cost, and what limits it. */
#include <inttypes.h>
#include <string.h>
#include "tools/report/facts.h"
#include "tools/report/parts.h"
#include "tools/text/units.h"

enum { MISSING_NAMED = 64, RANKS_CHARS = 120 };

static void print_lost(const struct wm_sheet *sheet)
{
    const struct wm_trace *trace = sheet->trace;
    const struct wm_trace_rank *worst = &trace->ranks[0];

    for (int i = 1; i < trace->rank_count; i++)
        if (trace->ranks[i].lost > worst->lost)
            worst = &trace->ranks[i];
    if (sheet->analysis->lost == 0)
        fprintf(sheet->page->file, "  events lost: none\n");
    else
        fprintf(sheet->page->file, "  events lost: %s, most by rank %d (%s of %s); %s\n",
                wm_count_text(sheet->analysis->lost).text, worst->rank, wm_count_text(worst->lost).text,
                wm_count_text(worst->offered).text,
                worst->offered <= worst->capacity ? "its file is cut short"
                : worst->full_mode                ? "the quota was full: the newest are missing"
                                                  : "the ring is full: the oldest are missing");
}

static void print_missing_ranks(const struct wm_sheet *sheet)
{
    const struct wm_trace *trace = sheet->trace;
    int missing[MISSING_NAMED], count = 0, next = 0;
    char names[RANKS_CHARS];

    for (int rank = 0; rank < trace->job_ranks && count < MISSING_NAMED; rank++) {
        if (next < trace->rank_count && trace->ranks[next].rank == rank)
            next++;
        else
            missing[count++] = rank;
    }
    wm_ranks_text(missing, count, names, sizeof names);
    if (trace->rank_count < trace->job_ranks)
        fprintf(sheet->page->file, "  ranks read: %d of %d, not rank%s %s%s; waits for those are not seen\n",
                trace->rank_count, trace->job_ranks, trace->job_ranks - trace->rank_count == 1 ? "" : "s", names,
                trace->job_ranks - trace->rank_count > count ? " …" : "");
}

static void print_cost(const struct wm_sheet *sheet)
{
    const struct wm_analysis *analysis = sheet->analysis;

    if (analysis->own_ns > 0)
        fprintf(sheet->page->file, "  recording cost about %s, %s of the run's rank time\n",
                wm_time_text((int64_t)analysis->own_ns).text,
                wm_share_text((int64_t)analysis->own_ns, analysis->run_ns).text);
}

static void print_clock(const struct wm_sheet *sheet)
{
    const struct wm_analysis *analysis = sheet->analysis;
    FILE *file = sheet->page->file;

    fprintf(file, "  clock: %s, %s", sheet->trace->ranks[0].tsc ? "time stamp counter" : "CLOCK_MONOTONIC",
            sheet->trace->several_clocks ? "several machines" : "one machine");
    if (sheet->trace->clock_error_ns > 0)
        fprintf(file, ", exact to %s", wm_time_text(sheet->trace->clock_error_ns).text);
    fprintf(file, "\n  residual of all totals: %s", wm_time_text(analysis->residual_ns).text);
    if (analysis->path_count > 0)
        fprintf(file, ", of critical paths: %s", wm_time_text(analysis->path_residual_ns).text);
    fputc('\n', file);
}

static void print_paths(const struct wm_sheet *sheet)
{
    const struct wm_analysis *analysis = sheet->analysis;

    if (analysis->path_count > 0)
        fprintf(sheet->page->file, "  critical paths: %s; the rank that came last was on %s of them\n",
                wm_number_text(analysis->path_count, "call").text, wm_count_text(analysis->path_last_on).text);
}

static void print_origin(const struct wm_sheet *sheet)
{
    const struct wm_trace *trace = sheet->trace;
    FILE *file = sheet->page->file;

    fputs("  waymark", file);
    for (int i = 0, shown = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].version[0] != '\0' && wm_facts_is_new_version(trace, i))
            fprintf(file, "%s %s", shown++ ? " and" : "", trace->ranks[i].version);
    fprintf(file, ", reported by %s", PACKAGE_VERSION);
    if (trace->map_text != NULL)
        fprintf(file, "; map %016" PRIx64, wm_facts_map_hash(trace));
    fputc('\n', file);
}

static void print_missing(const struct wm_sheet *sheet)
{
    const struct wm_analysis *analysis = sheet->analysis;
    FILE *file = sheet->page->file;

    print_missing_ranks(sheet);
    if (analysis->incomplete > 0)
        fprintf(file, "  calls left out on some rank, because their enter or leave is missing: %s\n",
                wm_count_text(analysis->incomplete).text);
    if (analysis->unmatched > 0)
        fprintf(file, "  messages of which one side is missing: %s\n", wm_count_text(analysis->unmatched).text);
    if (analysis->unknown + analysis->conveyors->unknown > 0)
        fprintf(file, "  records without meaning, left out: %s\n",
                wm_count_text(analysis->unknown + analysis->conveyors->unknown).text);
}

static void print_warning(void *context, const char *sentence)
{
    const struct wm_sheet *sheet = context;

    wm_page_wrap(sheet->page, "  warning: ", sentence);
}

void wm_sheet_print_facts(const struct wm_sheet *sheet)
{
    const struct wm_analysis *analysis = sheet->analysis;

    wm_sheet_head(sheet, "About this trace");
    if (analysis->questions > 0)
        fprintf(sheet->page->file, "  map server: %s, %s in all, the slowest %s\n",
                wm_number_text(analysis->questions, "question").text, wm_time_text(analysis->question_ns).text,
                wm_time_text(analysis->question_max_ns).text);
    print_lost(sheet);
    print_cost(sheet);
    print_clock(sheet);
    print_paths(sheet);
    print_missing(sheet);
    print_origin(sheet);
    fputs(wm_page_warn(sheet->page), sheet->page->file);
    wm_facts_warn(sheet->trace, analysis, print_warning, (void *)sheet);
    fputs(wm_page_plain(sheet->page), sheet->page->file);
}
