/* Two runs compared, key by key. */
#include "tools/diff/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/vector.h"

enum { SEED = 6 };

const char *wm_verdict_name(enum wm_verdict verdict)
{
    static const char *const names[] = {
#define X(id, name, help) name,
        WM_VERDICTS(X)
#undef X
    };

    return names[verdict];
}

static const struct wm_series *either(const struct wm_diff_row *row)
{
    return row->b != NULL ? row->b : row->a;
}

static int add_row(struct wm_diff *diff, const struct wm_series *a, const struct wm_series *b)
{
    if (wm_vector_reserve(&diff->rows, &diff->capacity, diff->count + 1, sizeof *diff->rows) < 0)
        return -WM_ENOMEM;
    diff->rows[diff->count++] = (struct wm_diff_row){.a = a, .b = b};
    return 0;
}

/* A row for each key of either run. */
static int pair_series(struct wm_diff *diff)
{
    int rc = 0;

    for (size_t i = 0; i < diff->a->count && rc >= 0; i++)
        rc = add_row(diff, &diff->a->series[i], wm_samples_find(diff->b, &diff->a->series[i]));
    for (size_t i = 0; i < diff->b->count && rc >= 0; i++)
        if (wm_samples_find(diff->a, &diff->b->series[i]) == NULL)
            rc = add_row(diff, NULL, &diff->b->series[i]);
    return rc;
}

static const struct wm_trace_node *node_of(const struct wm_samples *samples, const struct wm_series *series)
{
    int node = series != NULL && series->kind == WM_SERIES_LINE ? series->node : 0;

    return node > 0 && node < samples->trace->node_count && samples->trace->nodes[node].wrapper != NULL
               ? &samples->trace->nodes[node]
               : NULL;
}

/* A wrapper of which only the parameters were edited stands where it stood. */
static bool same_place(const struct wm_diff *diff, const struct wm_diff_row *p, const struct wm_diff_row *q)
{
    const struct wm_trace_node *a = node_of(diff->a, p->a), *b = node_of(diff->b, q->b);

    return a != NULL && b != NULL && p->b == NULL && q->a == NULL && p->a->operation == q->b->operation &&
           a->line == b->line && a->column == b->column && a->line > 0 && strcmp(a->wrapper, b->wrapper) == 0;
}

static void pair_by_position(struct wm_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++)
        for (size_t k = 0; k < diff->count; k++) {
            if (!same_place(diff, &diff->rows[i], &diff->rows[k]))
                continue;
            diff->rows[i].b = diff->rows[k].b;
            diff->rows[i].by_position = true;
            diff->rows[k] = diff->rows[--diff->count];
            break;
        }
}

static bool has_call(const struct wm_series *series, const struct wm_sample *call)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->samples[i].communicator == call->communicator && series->samples[i].sequence == call->sequence)
            return true;
    return false;
}

/* The trace of a native alltoall says the bytes of a block, that of a planned one of all blocks; v forms differ more.
 * But the first call of the one is the same call of the program as that with its number in the other. */
static bool same_calls(const struct wm_diff_row *p, const struct wm_diff_row *q)
{
    const struct wm_series *a = p->a, *b = q->b;

    return p->b == NULL && q->a == NULL && a->kind == WM_SERIES_CALL && b->kind == WM_SERIES_CALL &&
           a->operation == b->operation && a->members == b->members && (a->node == 0) != (b->node == 0) &&
           a->count == b->count && has_call(b, &a->samples[0]) && has_call(a, &b->samples[0]);
}

static void pair_by_number(struct wm_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++)
        for (size_t k = 0; k < diff->count; k++) {
            if (!same_calls(&diff->rows[i], &diff->rows[k]))
                continue;
            diff->rows[i].b = diff->rows[k].b;
            diff->rows[k] = diff->rows[--diff->count];
            break;
        }
}

static double time_of(const struct wm_diff_row *row)
{
    return (row->a != NULL ? row->a->time_ns : 0) + (row->b != NULL ? row->b->time_ns : 0);
}

/* Ties are broken by the key, so that the order is the same everywhere. */
static int compare_rows(const void *p, const void *q)
{
    const struct wm_diff_row *x = p, *y = q;
    const struct wm_series *a = either(x), *b = either(y);

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (time_of(x) != time_of(y))
        return time_of(x) < time_of(y) ? 1 : -1;
    if (a->operation != b->operation)
        return a->operation < b->operation ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The dearest edges of both runs together: to choose by the difference would be to choose by chance. */
static void leave_out_edges(struct wm_diff *diff)
{
    size_t edges = 0, others = 0;

    for (size_t i = 0; i < diff->count; i++)
        others += either(&diff->rows[i])->kind != WM_SERIES_EDGE;
    edges = diff->count - others;
    if (edges <= WM_EDGES_COMPARED)
        return;
    diff->edges_left_out = edges - WM_EDGES_COMPARED;
    diff->count = others + WM_EDGES_COMPARED;
}

static double duration_of(const struct wm_sample *sample)
{
    return sample->duration_ns;
}

static double time_in(const struct wm_sample *sample)
{
    return sample->time_ns;
}

static double service_of(const struct wm_sample *sample)
{
    return sample->regions > 0 ? (sample->time_ns - sample->wait_ns) / (double)sample->regions : 0;
}

static int resample(struct wm_resample *out, const struct wm_series *series, double (*value)(const struct wm_sample *),
                    enum wm_statistic statistic, uint64_t seed)
{
    double *values = malloc((series->count + 1) * sizeof *values);
    int rc;

    if (values == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < series->count; i++)
        values[i] = value(&series->samples[i]);
    rc = wm_resample_make(out, values, series->count, statistic, seed);
    free(values);
    return rc;
}

/* What work needs at a time, too large for the stack of a thread. */
struct pair {
    struct wm_resample a, b, total_a, total_b;
};

static int compare_values(struct wm_ratio *ratio, struct pair *pair, const struct wm_diff *diff,
                          const struct wm_diff_row *row, double (*value)(const struct wm_sample *),
                          enum wm_statistic statistic)
{
    uint64_t seed = SEED + 2 * (uint64_t)(row - diff->rows);

    if (resample(&pair->a, row->a, value, statistic, seed) < 0 ||
        resample(&pair->b, row->b, value, statistic, seed + 1) < 0)
        return -WM_ENOMEM;
    *ratio = wm_ratio_make(&pair->a, &pair->b, diff->comparisons);
    return 0;
}

static double mean_wait(const struct wm_series *series)
{
    double sum = 0, count = 0;

    for (size_t i = 0; series != NULL && i < series->count; i++) {
        sum += series->samples[i].wait_ns;
        count += series->kind == WM_SERIES_CALL ? (double)series->samples[i].regions : 1;
    }
    return count > 0 ? sum / count : 0;
}

static double share_of(const struct wm_samples *samples, const struct wm_series *series)
{
    return samples->analysis->run_ns > 0 ? series->time_ns / (double)samples->analysis->run_ns : 0;
}

/* Durations span ranks, and those of several machines have clocks of their own. */
static double clock_error_ns(const struct wm_samples *samples)
{
    return samples->trace->several_clocks ? 2 * (double)samples->trace->clock_error_ns : 0;
}

static enum wm_verdict judge(const struct wm_ratio *ratio, double error_ns)
{
    if (!ratio->known)
        return WM_VERDICT_TOO_FEW;
    if (ratio->low <= 1 && ratio->high >= 1)
        return WM_VERDICT_SAME;
    if (ratio->sure_low <= 1 && ratio->sure_high >= 1)
        return WM_VERDICT_UNCLEAR;
    if (fabs(ratio->b - ratio->a) < error_ns)
        return WM_VERDICT_UNRESOLVED;
    return ratio->ratio > 1 ? WM_VERDICT_SLOWER : WM_VERDICT_FASTER;
}

static int compare_row(struct wm_diff *diff, struct wm_diff_row *row, struct pair *pair)
{
    bool call = either(row)->kind == WM_SERIES_CALL;
    double error_ns = call ? clock_error_ns(diff->a) + clock_error_ns(diff->b) : 0;

    row->wait_a = mean_wait(row->a);
    row->wait_b = mean_wait(row->b);
    row->share = share_of(row->b != NULL ? diff->b : diff->a, either(row));
    row->verdict = row->a == NULL ? WM_VERDICT_ONLY_SECOND : WM_VERDICT_ONLY_FIRST;
    if (row->a == NULL || row->b == NULL)
        return 0;
    if (compare_values(&row->time, pair, diff, row, call ? duration_of : time_in, call ? WM_MEDIAN : WM_MEAN) < 0 ||
        (call && (compare_values(&row->service, pair, diff, row, service_of, WM_MEDIAN) < 0 ||
                  compare_values(&row->mean, pair, diff, row, time_in, WM_MEAN) < 0)))
        return -WM_ENOMEM;
    row->verdict = judge(&row->time, error_ns);
    row->regressed = either(row)->kind != WM_SERIES_EDGE && row->verdict == WM_VERDICT_SLOWER &&
                     row->time.sure_low > 1 + diff->threshold && !(row->mean.known && row->mean.high < 1) &&
                     row->share >= WM_REGRESSION_SHARE;
    diff->regressed |= row->regressed;
    return 0;
}

static double ranks_of(const struct wm_samples *samples)
{
    return samples->trace->rank_count > 0 ? samples->trace->rank_count : 1;
}

/* Calls of which a run has too few have no noise to speak of: they stand in the total only where there are no others.
 */
static int add_totals(struct wm_diff *diff, struct pair *pair, bool few)
{
    for (size_t i = 0; i < diff->count; i++) {
        const struct wm_diff_row *row = &diff->rows[i];
        double weight;

        if (either(row)->kind != WM_SERIES_CALL || row->a == NULL || row->b == NULL || row->time.known == few)
            continue;
        if (resample(&pair->a, row->a, time_in, WM_MEAN, SEED + 1000000 + 2 * i) < 0 ||
            resample(&pair->b, row->b, time_in, WM_MEAN, SEED + 1000001 + 2 * i) < 0)
            return -WM_ENOMEM;
        weight = (double)row->a->count / ranks_of(diff->a);
        wm_resample_add(&pair->total_a, &pair->a, weight);
        wm_resample_add(&pair->total_b, &pair->b, weight);
        diff->matched += row->a->count;
    }
    return 0;
}

static int compare_totals(struct wm_diff *diff, struct pair *pair)
{
    int rc = add_totals(diff, pair, false);

    if (rc >= 0 && diff->matched == 0)
        rc = add_totals(diff, pair, true);
    if (rc < 0)
        return rc;
    diff->total = wm_ratio_make(&pair->total_a, &pair->total_b, 1);
    diff->total_verdict = judge(&diff->total, 0);
    diff->total_regressed = diff->total.known && diff->total.low > 1 + diff->threshold;
    diff->regressed |= diff->total_regressed;
    return 0;
}

static size_t count_comparisons(const struct wm_diff *diff)
{
    size_t count = 0;

    for (size_t i = 0; i < diff->count; i++) {
        const struct wm_diff_row *row = &diff->rows[i];

        count += row->a != NULL && row->b != NULL && row->a->count >= WM_SAMPLES_MIN && row->b->count >= WM_SAMPLES_MIN;
    }
    return count;
}

int wm_diff_make(struct wm_diff *diff, const struct wm_samples *a, const struct wm_samples *b, double threshold)
{
    struct pair *pair = calloc(1, sizeof *pair);
    int rc;

    *diff = (struct wm_diff){.a = a, .b = b, .threshold = threshold};
    rc = pair != NULL ? pair_series(diff) : -WM_ENOMEM;
    if (rc >= 0) {
        pair_by_position(diff);
        pair_by_number(diff);
        if (diff->count > 0)
            qsort(diff->rows, diff->count, sizeof *diff->rows, compare_rows);
        leave_out_edges(diff);
        diff->comparisons = count_comparisons(diff);
    }
    for (size_t i = 0; i < diff->count && rc >= 0; i++)
        rc = compare_row(diff, &diff->rows[i], pair);
    if (rc >= 0)
        rc = compare_totals(diff, pair);
    free(pair);
    return rc;
}

void wm_diff_release(struct wm_diff *diff)
{
    free(diff->rows);
    diff->rows = NULL;
}
