/* The analysis: hands the totals one instance after another, and puts their sums in order. */
#include "tools/analysis/analysis.h"

#include <stdlib.h>
#include "tools/analysis/totals.h"
#include "tools/analysis/instance.h"
#include "tools/analysis/mismatch.h"
#include "tools/analysis/observer.h"
#include "tools/analysis/runs.h"
#include "tools/analysis/stuck.h"
#include "tools/analysis/overhead.h"

static void take_question(struct wm_analysis *analysis, const struct wm_trace_record *record)
{
    static const uint64_t day_ns = 86400000000000; /* more is damage */
    int64_t cost_ns = record->argument < day_ns ? (int64_t)record->argument : 0;

    analysis->questions++;
    analysis->question_ns += cost_ns;
    if (cost_ns > analysis->question_max_ns)
        analysis->question_max_ns = cost_ns;
}

struct pass {
    struct wm_analysis *analysis;
    struct wm_trace *trace;
    struct wm_totals *totals;
};

/* Records that belong to no instance. */
static void take_other(void *context, int rank_index, const struct wm_trace_record *record)
{
    struct pass *pass = context;

    if (record->kind == WM_TRACE_QUESTION)
        take_question(pass->analysis, record);
    else if (record->kind == WM_TRACE_LEVEL)
        wm_history_switch(&pass->totals->history, rank_index, record);
    else if (record->kind == WM_TRACE_P2P_DONE)
        wm_history_message(&pass->totals->history, rank_index, record);
    else if (record->kind == WM_TRACE_ASK)
        wm_history_ask(&pass->totals->history, rank_index, record);
    else if (record->kind == WM_TRACE_MAP_EPOCH)
        wm_map_epochs_note(&pass->analysis->epochs, &pass->trace->ranks[rank_index], record);
}

static void count_events(struct wm_analysis *analysis, const struct wm_trace *trace)
{
    for (int i = 0; i < trace->rank_count; i++) {
        analysis->events += trace->ranks[i].count;
        analysis->lost += trace->ranks[i].lost;
    }
    analysis->own_ns = wm_recording_overhead_ns(analysis->events + analysis->lost, trace->ranks[0].tsc);
}

/* All runs of one instance, which begin at `runs` and are `count`. */
static int take_instance(struct wm_analysis *analysis, struct wm_totals *totals, struct wm_instance *instance,
                         const struct wm_trace_run *runs, size_t count)
{
    int rc = 0;

    wm_instance_begin(instance, runs[0].communicator, runs[0].sequence);
    for (size_t i = 0; i < count && rc >= 0; i++)
        rc = wm_instance_add(instance, &runs[i]);
    if (rc >= 0)
        rc = wm_totals_add(totals, instance);
    if (rc >= 0)
        rc = wm_mismatch_note(analysis, instance);
    return rc < 0 ? rc : wm_stuck_note(analysis, instance, &totals->history);
}

static int take_all(struct wm_analysis *analysis, struct wm_totals *totals, struct wm_instance *instance,
                    const struct wm_runs *runs)
{
    int rc = 0;

    for (size_t i = 0, count; i < runs->count && rc >= 0; i += count) {
        count = wm_runs_length(runs, i);
        rc = take_instance(analysis, totals, instance, &runs->items[i], count);
    }
    analysis->unknown += instance->unknown;
    analysis->incomplete += instance->incomplete;
    return rc;
}

static void measure_run(struct wm_analysis *analysis, const struct wm_trace *trace)
{
    int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];

        analysis->run_ns += rank->end_ns - rank->start_ns;
        if (rank->start_ns < start_ns)
            start_ns = rank->start_ns;
        if (rank->end_ns > end_ns)
            end_ns = rank->end_ns;
    }
    analysis->span_ns = end_ns - start_ns;
}

static int compare_lines(const void *a, const void *b, void *of_trace)
{
    const struct wm_line *x = a, *y = b;
    const struct wm_trace *trace = of_trace;
    struct wm_trace_node none = {0};
    const struct wm_trace_node *p = x->node < trace->node_count ? &trace->nodes[x->node] : &none;
    const struct wm_trace_node *q = y->node < trace->node_count ? &trace->nodes[y->node] : &none;

    if ((x->node == 0) != (y->node == 0))
        return x->node == 0 ? 1 : -1;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (p->line != q->line)
        return p->line < q->line ? -1 : 1;
    if (p->column != q->column)
        return p->column < q->column ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int compare_edges(const void *a, const void *b)
{
    const struct wm_edge_cost *x = a, *y = b;
    int64_t p = x->wait_ns + x->transfer_ns, q = y->wait_ns + y->transfer_ns;

    return p != q ? (p < q ? 1 : -1) : (x->source > y->source) - (x->source < y->source);
}

/* Lines and edges move from the line_table into the analysis. */
static void take_totals(struct wm_analysis *analysis, const struct wm_trace *trace, struct wm_totals *totals)
{
    struct wm_line_table *line_table = &totals->line_table;

    analysis->lines = line_table->lines;
    analysis->line_count = line_table->line_count;
    analysis->edges = line_table->edges;
    analysis->edge_count = line_table->edge_count;
    line_table->lines = NULL;
    line_table->line_count = 0;
    line_table->edges = NULL;
    line_table->edge_count = 0;
    if (analysis->line_count > 0)
        qsort_r(analysis->lines, analysis->line_count, sizeof *analysis->lines, compare_lines, (void *)trace);
    if (analysis->edge_count > 0)
        qsort(analysis->edges, analysis->edge_count, sizeof *analysis->edges, compare_edges);
}

static int analyse(struct wm_analysis *analysis, struct wm_trace *trace, struct wm_totals *totals,
                   struct wm_instance *instance)
{
    struct pass pass = {analysis, trace, totals};
    struct wm_runs runs;
    int rc = wm_runs_find(&runs, trace, NULL, 0, take_other, &pass);

    if (rc >= 0)
        rc = take_all(analysis, totals, instance, &runs);
    analysis->unknown += runs.unknown;
    wm_runs_release(&runs); /* the delays need the room */
    if (rc >= 0)
        rc = wm_totals_finish(totals);
    if (rc < 0)
        return rc;
    count_events(analysis, trace);
    take_totals(analysis, trace, totals);
    measure_run(analysis, trace);
    rc = wm_stuck_list_deaths(analysis, trace, &totals->history);
    return rc < 0 ? rc : wm_trace_check(trace);
}

int wm_analysis_make(struct wm_analysis **analysis_out, struct wm_trace *trace, const struct wm_observer *observer)
{
    struct wm_analysis *analysis = calloc(1, sizeof *analysis);
    struct wm_totals totals = {0};
    struct wm_instance instance = {0};
    int rc = -WM_ENOMEM;

    *analysis_out = NULL;
    if (analysis != NULL && wm_totals_init(&totals, trace, analysis, observer) == 0 &&
        wm_instance_init(&instance, trace) == 0 && wm_conveyor_table_make(&analysis->conveyors, trace) == 0 &&
        wm_protocol_table_make(&analysis->protocols, trace) == 0 &&
        wm_statement_table_make(&analysis->statements, trace) == 0 &&
        wm_superblock_table_make(&analysis->superblocks, trace) == 0)
        rc = analyse(analysis, trace, &totals, &instance);
    wm_instance_release(&instance);
    wm_totals_release(&totals);
    if (rc < 0) {
        wm_analysis_free(analysis);
        return rc;
    }
    *analysis_out = analysis;
    return 0;
}

void wm_analysis_free(struct wm_analysis *analysis)
{
    if (analysis == NULL)
        return;
    wm_line_table_lines_free(analysis->lines, analysis->line_count);
    wm_line_table_edges_free(analysis->edges, analysis->edge_count);
    for (int i = 0; i < analysis->stuck_count; i++) {
        free(analysis->stuck[i].inside);
        free(analysis->stuck[i].absent);
    }
    wm_mismatch_release(&analysis->mismatch);
    free(analysis->delays);
    free(analysis->deaths);
    wm_conveyor_table_free(analysis->conveyors);
    wm_protocol_table_free(analysis->protocols);
    wm_statement_table_free(analysis->statements);
    wm_superblock_table_free(analysis->superblocks);
    free(analysis);
}

int wm_line_late_rank(const struct wm_line *line, int job_ranks, double *share)
{
    int64_t sum_ns = 0;
    int late = -1;

    for (int i = 0; line->wait_by_rank != NULL && i < job_ranks; i++) {
        sum_ns += line->wait_by_rank[i];
        if (line->wait_by_rank[i] > 0 && (late < 0 || line->wait_by_rank[i] > line->wait_by_rank[late]))
            late = i;
    }
    *share = sum_ns > 0 ? (double)line->wait_by_rank[late] / (double)sum_ns : 0;
    return late;
}
