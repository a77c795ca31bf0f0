/* The verdict on a trial. */
#include "tools/retune/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/diff/bootstrap.h"

static const double trimmed_share = 0.2;

static double old_of(const struct wm_mailbox_round *r)
{
    return fmax(1, ((double)r->ns[0] + (double)r->ns[3]) / 2);
}

static double new_of(const struct wm_mailbox_round *r)
{
    return fmax(1, ((double)r->ns[1] + (double)r->ns[2]) / 2);
}

static int compare_numbers(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static double middle_of(const double *sorted, int count)
{
    return count == 0 ? 0 : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* --- Changes --- */

static void widen(struct wm_change *c)
{
    double half = c->error * wm_student_quantile(0.05, fmax(1, c->freedom));

    c->low = c->change - half;
    c->high = c->change + half;
    c->known = true;
}

/* Of values that are sorted. */
static void find_change(struct wm_change *c, const double *values, int count)
{
    int cut = (int)(trimmed_share * count), kept = count - 2 * cut;
    double sum = 0, all = 0, squares = 0;

    if (count < WM_TRIAL_ROUNDS_MIN)
        return;
    for (int i = cut; i < count - cut; i++)
        sum += values[i];
    for (int i = 0; i < count; i++) {
        double value = values[i < cut ? cut : i >= count - cut ? count - cut - 1 : i];

        all += value;
        squares += value * value;
    }
    c->change = sum / kept - 1;
    c->error = sqrt(fmax(0, squares - all * all / count) / (count - 1)) * sqrt(count) / kept;
    c->freedom = kept - 1;
    widen(c);
}

/* Welch and Satterthwaite. */
static void add_up(struct wm_trial_table *t)
{
    double all = 0, whole = 0, variance = 0, shares = 0;

    for (int i = 0; i < t->row_count; i++) {
        all += t->rows[i].weight_ns;
        whole += t->rows[i].change.known ? t->rows[i].weight_ns : 0;
    }
    if (whole <= 0)
        return;
    t->share = whole / all;
    for (int i = 0; i < t->row_count; i++) {
        const struct wm_change *c = &t->rows[i].change;
        double weight = t->rows[i].weight_ns / whole, part = pow(weight * c->error, 2);

        if (!c->known)
            continue;
        t->total.change += weight * c->change;
        variance += part;
        shares += part * part / c->freedom;
    }
    t->total.error = sqrt(variance);
    t->total.freedom = shares > 0 ? variance * variance / shares : 1;
    widen(&t->total);
}

/* --- Rows --- */

static bool is_of(const struct wm_trial_row *row, const struct wm_mailbox_round *round)
{
    return row->operation == round->operation && row->size_class == round->size_class && row->ranks == round->ranks;
}

static void list_row(struct wm_trial_table *t, const struct wm_mailbox_round *round)
{
    int i = 0;

    while (i < t->row_count && !is_of(&t->rows[i], round))
        i++;
    if (i == WM_TRIAL_ROWS_MAX)
        return;
    if (i == t->row_count)
        t->rows[t->row_count++] = (struct wm_trial_row){
            .operation = round->operation, .size_class = round->size_class, .ranks = round->ranks};
}

static void fill_row(struct wm_trial_row *row, const struct wm_mailbox_round *rounds, uint32_t count)
{
    double *olds = malloc(3 * (count + 1) * sizeof *olds), *news = olds + count, *ratios = news + count;
    int n = 0;

    if (olds == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_of(row, &rounds[i]))
            continue;
        olds[n] = old_of(&rounds[i]);
        news[n] = new_of(&rounds[i]);
        ratios[n] = news[n] / olds[n];
        n++;
        row->calls += 4 * (uint64_t)rounds[i].calls;
    }
    qsort(olds, (size_t)n, sizeof *olds, compare_numbers);
    qsort(news, (size_t)n, sizeof *news, compare_numbers);
    qsort(ratios, (size_t)n, sizeof *ratios, compare_numbers);
    row->rounds = n;
    row->old_ns = middle_of(olds, n);
    row->new_ns = middle_of(news, n);
    row->weight_ns = (double)row->calls * row->old_ns;
    find_change(&row->change, ratios, n);
    free(olds);
}

static int compare_weights(const void *left, const void *right)
{
    const struct wm_trial_row *a = left, *b = right;

    return (a->weight_ns < b->weight_ns) - (a->weight_ns > b->weight_ns);
}

void wm_trial_table_make(struct wm_trial_table *t, const struct wm_mailbox_round *rounds, uint32_t count)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < count; i++)
        list_row(t, &rounds[i]);
    for (int i = 0; i < t->row_count; i++) {
        fill_row(&t->rows[i], rounds, count);
        t->rounds += t->rows[i].rounds;
    }
    qsort(t->rows, (size_t)t->row_count, sizeof *t->rows, compare_weights);
    add_up(t);
}

enum wm_verdict wm_trial_verdict(const struct wm_trial_table *t, bool over)
{
    bool known = t->total.known && t->share >= WM_TRIAL_SHARE_MIN, enough = over || t->rounds >= WM_TRIAL_ROUNDS_EARLY;

    if (known && enough && t->total.low > WM_TRIAL_TOLERANCE)
        return WM_VERDICT_WORSE;
    if (!over)
        return WM_VERDICT_OPEN;
    return known && t->total.high < WM_TRIAL_TOLERANCE ? WM_VERDICT_NOT : WM_VERDICT_UNSURE;
}
