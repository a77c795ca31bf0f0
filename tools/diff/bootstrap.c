/* Moving-block bootstrap of means and medians, and intervals of their ratios. */
#include "tools/diff/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/hash.h"

enum { SORTED_MAX = 512, STUDENT_STEPS = 256 };

/* splitmix64 (Steele, Lea, Flood 2014): small, and good from any seed. */
static uint64_t draw(uint64_t *state)
{
    return wm_hash_scatter(*state += 0x9e3779b97f4a7c15u);
}

static double draw_unit(uint64_t *state)
{
    return ((double)(draw(state) >> 11) + 0.5) / 9007199254740992.0;
}

static size_t draw_below(uint64_t *state, size_t bound)
{
    return (size_t)(draw_unit(state) * (double)bound);
}

static double draw_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(draw_unit(state)));

    return radius * cos(2 * M_PI * draw_unit(state));
}

static size_t block_of(size_t count)
{
    size_t block = (size_t)(cbrt((double)count) + 0.5);

    return block > 0 ? block : 1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of_sorted(const double *values, size_t count)
{
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Sums of blocks come from running sums: a replicate costs n / block steps. */
static void resample_means(struct wm_resample *r, const double *values, size_t count, double *running, uint64_t seed)
{
    size_t block = block_of(count), starts = count - block + 1;

    running[0] = 0;
    for (size_t i = 0; i < count; i++)
        running[i + 1] = running[i] + values[i];
    r->point = running[count] / (double)count;
    for (int k = 0; k < WM_REPLICATES; k++) {
        double sum = 0;
        size_t drawn = 0;

        for (; drawn + block <= count; drawn += block) {
            size_t at = draw_below(&seed, starts);

            sum += running[at + block] - running[at];
        }
        r->replicates[k] = sum / (double)drawn;
    }
    /* Values near the ends stand in fewer blocks: take the mean of the replicates to where it belongs. */
    double centre = 0;

    for (size_t i = 0; i < starts; i++)
        centre += (running[i + block] - running[i]) / (double)(block * starts);
    for (int k = 0; k < WM_REPLICATES && centre > 0; k++)
        r->replicates[k] *= r->point / centre;
}

static void resample_medians(struct wm_resample *r, const double *values, size_t count, double *scratch, uint64_t seed)
{
    size_t block = block_of(count);

    for (int k = 0; k < WM_REPLICATES; k++) {
        for (size_t drawn = 0; drawn < count; drawn += block) {
            size_t at = draw_below(&seed, count - block + 1);
            size_t length = drawn + block <= count ? block : count - drawn;

            memcpy(scratch + drawn, values + at, length * sizeof *values);
        }
        qsort(scratch, count, sizeof *scratch, compare);
        r->replicates[k] = median_of_sorted(scratch, count);
    }
}

/* How many of n drawn values lie beneath the median is a sum of blocks: nearly normal, with the blocks' variance. The
 * replicate's median is the sorted value that many places off the middle. */
static void draw_medians(struct wm_resample *r, const double *values, size_t count, const double *sorted, uint64_t seed)
{
    size_t block = block_of(count);
    double sum = 0, squares = 0, inside = 0, spread;

    for (size_t i = 0; i < count; i++) {
        inside += values[i] <= r->point ? 0.5 : -0.5;
        if (i >= block)
            inside -= values[i - block] <= r->point ? 0.5 : -0.5;
        if (i + 1 < block)
            continue;
        sum += inside;
        squares += inside * inside;
    }
    double starts = (double)(count - block + 1);

    spread = sqrt(fmax(0, squares / starts - sum / starts * (sum / starts)) * (double)count / (double)block);
    for (int k = 0; k < WM_REPLICATES; k++) {
        double at = ((double)count - 1) / 2 + spread * draw_normal(&seed);

        at = fmax(0, fmin((double)count - 1, at));
        r->replicates[k] = sorted[(size_t)(at + 0.5)];
    }
}

static void measure_variance(struct wm_resample *r, size_t count)
{
    double sum = 0, squares = 0, freedom = fmax(1, (double)count / (double)block_of(count) - 1);

    for (int k = 0; k < WM_REPLICATES; k++)
        sum += r->replicates[k];
    sum /= WM_REPLICATES;
    for (int k = 0; k < WM_REPLICATES; k++)
        squares += (r->replicates[k] - sum) * (r->replicates[k] - sum);
    r->variance = squares / (WM_REPLICATES - 1);
    r->variance_share = r->variance * r->variance / freedom;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count > 0 ? sum / (double)count : 0;
}

int wm_resample_make(struct wm_resample *r, const double *values, size_t count, enum wm_statistic statistic,
                     uint64_t seed)
{
    double *scratch = malloc((count + 1) * sizeof *scratch);

    if (scratch == NULL)
        return -WM_ENOMEM;
    memset(r, 0, sizeof *r);
    r->known = count >= WM_SAMPLES_MIN;
    r->point = mean_of(values, count);
    if (statistic == WM_MEDIAN && count > 0) {
        memcpy(scratch, values, count * sizeof *values);
        qsort(scratch, count, sizeof *scratch, compare);
        r->point = median_of_sorted(scratch, count);
    }
    if (r->known && statistic == WM_MEAN)
        resample_means(r, values, count, scratch, seed);
    else if (r->known && count > SORTED_MAX)
        draw_medians(r, values, count, scratch, seed);
    else if (r->known)
        resample_medians(r, values, count, scratch, seed);
    if (r->known)
        measure_variance(r, count);
    free(scratch);
    return 0;
}

void wm_resample_add(struct wm_resample *sum, const struct wm_resample *part, double weight)
{
    bool first = sum->point == 0 && sum->variance == 0 && !sum->known;
    double squared = weight * weight;

    sum->known = part->known && (sum->known || first);
    sum->point += weight * part->point;
    sum->variance += squared * part->variance;
    sum->variance_share += squared * squared * part->variance_share;
    for (int k = 0; k < WM_REPLICATES; k++)
        sum->replicates[k] += weight * part->replicates[k];
}

/* With t = sqrt(freedom) tan(angle) the density is a power of the cosine. */
static double tail_of(double angle, double freedom)
{
    double sum = 0, step = (M_PI / 2 - angle) / STUDENT_STEPS;

    for (int i = 0; i <= STUDENT_STEPS; i++) {
        double weight = i == 0 || i == STUDENT_STEPS ? 1 : i % 2 ? 4 : 2;
        double cosine = i == STUDENT_STEPS ? 0 : cos(angle + i * step);

        sum += weight * (freedom > 1 ? pow(cosine, freedom - 1) : 1);
    }
    return sum * step / 3;
}

double wm_student_quantile(double probability, double freedom)
{
    double low = 0, high = M_PI / 2, whole;

    freedom = fmax(1, fmin(200, freedom)); /* beyond, the normal distribution to a per cent */
    whole = tail_of(0, freedom);
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;

        *(tail_of(middle, freedom) / whole > probability ? &low : &high) = middle;
    }
    return sqrt(freedom) * tan(low);
}

/* Welch and Satterthwaite: the freedom of a sum of variances, here those of logarithms. */
static double freedom_of(const struct wm_resample *a, const struct wm_resample *b)
{
    double p = a->variance / (a->point * a->point), q = b->variance / (b->point * b->point);
    double shares = a->variance_share / pow(a->point, 4) + b->variance_share / pow(b->point, 4);

    return shares > 0 ? fmax(1, (p + q) * (p + q) / shares) : 200;
}

static bool draw_logarithms(const struct wm_resample *a, const struct wm_resample *b, double *out)
{
    for (int k = 0; k < WM_REPLICATES; k++) {
        if (!(a->replicates[k] > 0 && b->replicates[k] > 0))
            return false;
        out[k] = log(b->replicates[k] / a->replicates[k]);
    }
    qsort(out, WM_REPLICATES, sizeof *out, compare);
    return true;
}

struct wm_ratio wm_ratio_make(const struct wm_resample *a, const struct wm_resample *b, size_t comparisons)
{
    struct wm_ratio ratio = {.a = a->point, .b = b->point, .ratio = a->point > 0 ? b->point / a->point : 0};
    double logarithms[WM_REPLICATES], centre, freedom, few, wide, wider, below, above;

    if (!a->known || !b->known || ratio.ratio <= 0 || !draw_logarithms(a, b, logarithms))
        return ratio;
    ratio.known = true;
    centre = log(ratio.ratio);
    freedom = freedom_of(a, b);
    few = sqrt((freedom + 1) / freedom);
    wide = few * wm_student_quantile(0.05, freedom) / 1.96;
    wider = few * wm_student_quantile(0.05 / (double)(comparisons > 0 ? comparisons : 1), freedom) / 1.96;
    below = fmax(0, centre - logarithms[WM_REPLICATES / 40]);
    above = fmax(0, logarithms[WM_REPLICATES - 1 - WM_REPLICATES / 40] - centre);
    ratio.low = exp(centre - wide * below);
    ratio.high = exp(centre + wide * above);
    ratio.sure_low = exp(centre - wider * below);
    ratio.sure_high = exp(centre + wider * above);
    return ratio;
}
