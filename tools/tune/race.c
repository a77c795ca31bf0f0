/* A race: medians of log ratios within rounds, and Holm's procedure on Student's t. */
#include "tools/tune/race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double behind = 0.0198;      /* ln 1.02 */
static const double doubt = 0.05;         /* of a family of judgements */
static const double known = 0.01;         /* an error that needs no more rounds */
static const double error_least = 0.0005; /* equal samples do not make it nothing */
/* Before there are rounds enough for statistics: whose best is so much slower than the leader's worst is out; and where
 * calls are slow before there are enough for that. */
static const double hopeless = 1.5, far_behind = 2;

enum { HOPELESS_ROUNDS = 3 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return n == 0 ? 0 : (values[n / 2] + values[(n - 1) / 2]) / 2;
}

struct wm_tune_gap wm_tune_gap(const double *ns, const double *other_ns, int rounds)
{
    struct wm_tune_gap gap = {.rounds = rounds};
    double d[WM_TUNE_ROUNDS_MAX];

    for (int i = 0; i < rounds; i++)
        d[i] = log(ns[i] / other_ns[i]);
    gap.middle = median(d, rounds);
    for (int i = 0; i < rounds; i++)
        d[i] = fabs(d[i] - gap.middle);
    /* 1.4826 makes a deviation of the median one, 1.2533 is what a median's error is more than a mean's. */
    gap.error = rounds == 0 ? 0 : 1.4826 * 1.2533 * median(d, rounds) / sqrt(rounds);
    gap.error = gap.error < error_least ? error_least : gap.error;
    return gap;
}

struct wm_tune_gap wm_tune_race_gap(const struct wm_tune_race *r, int path, int other)
{
    int rounds = r->sampled[path] < r->sampled[other] ? r->sampled[path] : r->sampled[other];

    return wm_tune_gap(r->ns[path], r->ns[other], rounds);
}

/* The regularised incomplete beta function by its continued fraction. Source: Abramowitz and Stegun, 26.5.8. */
static double beta(double x, double a, double b)
{
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;

    for (int m = 1; m < 200; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-12)
            break;
    }
    return front * h;
}

double wm_tune_student(double t, int freedom)
{
    double n = freedom, x = n / (n + t * t), tail;

    if (t == 0)
        return 0.5;
    /* The fraction converges fast below its mean alone. */
    tail = x < (n / 2 + 1) / (n / 2 + 2.5) ? beta(x, n / 2, 0.5) / 2 : (1 - beta(1 - x, 0.5, n / 2)) / 2;
    return t > 0 ? tail : 1 - tail;
}

/* The t that is passed with 5 %. */
static double quantile(int freedom)
{
    double low = 0, high = 1000;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (wm_tune_student(middle, freedom) > doubt)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double wm_tune_gap_low(const struct wm_tune_gap *g)
{
    return g->rounds < 2 ? -INFINITY : g->middle - quantile(g->rounds - 1) * g->error;
}

double wm_tune_gap_high(const struct wm_tune_gap *g)
{
    return g->rounds < 2 ? INFINITY : g->middle + quantile(g->rounds - 1) * g->error;
}

double wm_tune_race_ns(const struct wm_tune_race *r, int path)
{
    double ns[WM_TUNE_ROUNDS_MAX];

    memcpy(ns, r->ns[path], sizeof *ns * (size_t)r->sampled[path]);
    return median(ns, r->sampled[path]);
}

int wm_tune_race_leader(const struct wm_tune_race *r)
{
    int leader = 0;

    for (int i = 1; i < r->count; i++)
        if (r->runs[i] && wm_tune_race_ns(r, i) < wm_tune_race_ns(r, leader))
            leader = i;
    return leader;
}

static double extreme(const struct wm_tune_race *r, int path, int sign)
{
    double found = r->ns[path][0];

    for (int i = 1; i < r->sampled[path]; i++)
        if (sign * r->ns[path][i] > sign * found)
            found = r->ns[path][i];
    return found;
}

struct judgement {
    int path;
    double doubt; /* that it is behind */
};

static int by_doubt(const void *a, const void *b)
{
    return compare(&((const struct judgement *)a)->doubt, &((const struct judgement *)b)->doubt);
}

static void judge_by_gaps(struct wm_tune_race *r, int leader)
{
    struct judgement judgements[WM_TUNE_PATHS_MAX];
    int n = 0;

    for (int i = 1; i < r->count; i++)
        if (r->runs[i] && i != leader && i != r->fast) {
            struct wm_tune_gap gap = wm_tune_race_gap(r, i, leader);

            judgements[n++] = (struct judgement){i, wm_tune_student((gap.middle - behind) / gap.error, gap.rounds - 1)};
        }
    qsort(judgements, (size_t)n, sizeof *judgements, by_doubt);
    for (int k = 0; k < n && judgements[k].doubt <= doubt / (n - k); k++)
        r->runs[judgements[k].path] = false;
}

static bool is_hopeless(const struct wm_tune_race *r, int path, int leader)
{
    double least = extreme(r, path, -1), most = extreme(r, leader, 1);

    return r->rounds >= HOPELESS_ROUNDS ? least > hopeless * most
                                        : r->slow_ns > 0 && least > far_behind * (most + r->slow_ns);
}

void wm_tune_race_judge(struct wm_tune_race *r)
{
    int leader = wm_tune_race_leader(r);

    for (int i = 1; i < r->count; i++)
        if (r->runs[i] && i != r->fast && is_hopeless(r, i, leader))
            r->runs[i] = false;
    if (r->rounds >= WM_TUNE_ROUNDS_LEAST)
        judge_by_gaps(r, leader);
}

bool wm_tune_race_settled(const struct wm_tune_race *r)
{
    int leader = wm_tune_race_leader(r);

    if (r->rounds < WM_TUNE_ROUNDS_LEAST)
        return false;
    for (int i = 0; i < r->count; i++)
        if (r->runs[i] && i != leader && wm_tune_race_gap(r, i, leader).error > known)
            return false;
    return true;
}
