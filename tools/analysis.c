/* The analysis: cuts all ranks' records into runs, brings the runs of an instance together, and hands each
 * instance on. */
#include "tools/analysis.h"

#include <string.h>
#include "tools/accounts.h"
#include "tools/instance.h"
#include "tools/observer.h"
#include "tools/stuck.h"
#include "tools/vector.h"

struct runs {
    struct wm_run *items;
    size_t count, capacity;
};

static void take_question(struct wm_analysis *analysis, const struct wm_trace_record *record)
{
    int64_t cost_ns = record->argument < INT64_MAX / 4 ? (int64_t)record->argument : 0;

    analysis->questions++;
    analysis->question_ns += cost_ns;
    if (cost_ns > analysis->question_max_ns)
        analysis->question_max_ns = cost_ns;
}

/* Add the record to the rank's last run, or begin another one. */
static int extend(struct runs *runs, const struct wm_trace_rank *rank, int rank_index, uint64_t number,
                  const struct wm_trace_record *record)
{
    struct wm_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
    uint32_t key = wm_trace_communicator_key(rank, record->communicator);

    if (key == WM_TRACE_NO_COMMUNICATOR)
        return 1;
    if (last != NULL && last->rank_index == rank_index && last->communicator == key &&
        last->sequence == record->sequence && number - last->first < UINT32_MAX) {
        last->count = (uint32_t)(number - last->first) + 1;
        return 0;
    }
    if (wm_vector_reserve(&runs->items, &runs->capacity, runs->count + 1, sizeof *runs->items) < 0)
        return -WM_ENOMEM;
    runs->items[runs->count++] = (struct wm_run){key, record->sequence, rank_index, 1, number};
    return 0;
}

static int find_runs(struct wm_analysis *analysis, const struct wm_trace *trace, struct runs *runs)
{
    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];
        const struct wm_trace_record *record;

        for (uint64_t number = 0; (record = wm_trace_next(rank, &number)) != NULL;) {
            int rc = 0;

            if (record->kind == WM_TRACE_QUESTION)
                take_question(analysis, record);
            else if (record->kind != WM_TRACE_CLOCK && record->kind < WM_TRACE_CONVEY_STATE)
                rc = extend(runs, rank, i, number - 1, record);
            if (rc < 0)
                return rc;
            analysis->unknown += (uint64_t)rc;
        }
        analysis->events += rank->count;
        analysis->lost += rank->lost;
    }
    return 0;
}

static int compare_runs(const void *a, const void *b)
{
    const struct wm_run *x = a, *y = b;

    if (x->communicator != y->communicator)
        return x->communicator < y->communicator ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->rank_index != y->rank_index)
        return x->rank_index < y->rank_index ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* All runs of one instance, which begin at `runs` and are `count`. */
static int take_instance(struct wm_analysis *analysis, struct wm_accounts *accounts, struct wm_instance *instance,
                         const struct wm_run *runs, size_t count)
{
    int rc = 0;

    wm_instance_begin(instance, runs[0].communicator, runs[0].sequence);
    for (size_t i = 0; i < count && rc >= 0; i++)
        rc = wm_instance_add(instance, &runs[i]);
    if (rc >= 0)
        rc = wm_accounts_add(accounts, instance);
    return rc < 0 ? rc : wm_stuck_note(analysis, instance);
}

static int take_all(struct wm_analysis *analysis, struct wm_accounts *accounts, struct wm_instance *instance,
                    const struct runs *runs)
{
    int rc = 0;

    for (size_t i = 0, next; i < runs->count && rc >= 0; i = next) {
        for (next = i + 1; next < runs->count && runs->items[next].communicator == runs->items[i].communicator &&
                           runs->items[next].sequence == runs->items[i].sequence;)
            next++;
        rc = take_instance(analysis, accounts, instance, &runs->items[i], next - i);
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

/* qsort has no context; the tools are one thread. */
static const struct wm_trace *sorting_trace;

static int compare_lines(const void *a, const void *b)
{
    const struct wm_line *x = a, *y = b;
    const struct wm_trace *trace = sorting_trace;
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

/* Lines and edges move from the ledger into the analysis. */
static void take_accounts(struct wm_analysis *analysis, const struct wm_trace *trace, struct wm_accounts *accounts)
{
    struct wm_ledger *ledger = &accounts->ledger;

    analysis->lines = ledger->lines;
    analysis->line_count = ledger->line_count;
    analysis->edges = ledger->edges;
    analysis->edge_count = ledger->edge_count;
    ledger->lines = NULL;
    ledger->line_count = 0;
    ledger->edges = NULL;
    sorting_trace = trace;
    if (analysis->line_count > 0)
        qsort(analysis->lines, analysis->line_count, sizeof *analysis->lines, compare_lines);
    if (analysis->edge_count > 0)
        qsort(analysis->edges, analysis->edge_count, sizeof *analysis->edges, compare_edges);
}

static int analyse(struct wm_analysis *analysis, struct wm_trace *trace, struct wm_accounts *accounts,
                   struct wm_instance *instance)
{
    struct runs runs = {0};
    int rc = find_runs(analysis, trace, &runs);

    if (rc >= 0 && runs.count > 0) {
        qsort(runs.items, runs.count, sizeof *runs.items, compare_runs);
        rc = take_all(analysis, accounts, instance, &runs);
    }
    free(runs.items);
    if (rc < 0)
        return rc;
    take_accounts(analysis, trace, accounts);
    measure_run(analysis, trace);
    return wm_stuck_list_deaths(analysis, trace);
}

int wm_analysis_make(struct wm_analysis **analysis_out, struct wm_trace *trace, const struct wm_observer *observer)
{
    struct wm_analysis *analysis = calloc(1, sizeof *analysis);
    struct wm_accounts accounts = {0};
    struct wm_instance instance = {0};
    int rc = -WM_ENOMEM;

    *analysis_out = NULL;
    if (analysis != NULL && wm_accounts_init(&accounts, trace, analysis, observer) == 0 &&
        wm_instance_init(&instance, trace) == 0 && wm_belts_make(&analysis->belts, trace) == 0)
        rc = analyse(analysis, trace, &accounts, &instance);
    wm_instance_release(&instance);
    wm_accounts_release(&accounts);
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
    for (size_t i = 0; i < analysis->line_count; i++) {
        free(analysis->lines[i].wait_by_rank);
        free(analysis->lines[i].last_by_rank);
    }
    for (int i = 0; i < analysis->stuck_count; i++) {
        free(analysis->stuck[i].inside);
        free(analysis->stuck[i].absent);
    }
    free(analysis->lines);
    free(analysis->edges);
    free(analysis->deaths);
    wm_belts_free(analysis->belts);
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
