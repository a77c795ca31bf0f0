/* Bootstrap: how far a statistic of a run's samples may lie from what the run would show if it went on for ever.
 *
 * Calls that follow each other are alike (the machine has phases), so not single values but blocks of about n^(1/3)
 * neighbours are drawn again (moving-block bootstrap, Künsch 1989). Draws are seeded: the same traces give the same
 * answer. An interval is the percentile interval of the replicates, widened about the estimate, on a logarithmic scale,
 * by what Student's distribution has over the normal one for so few blocks; without that ten calls would give intervals
 * that hold the truth in 85 of 100 cases instead of 95. It covers the noise within the runs, never that between runs.
 *
 * Resamples of independent series add up, so that a total over many keys has an interval too. */
#ifndef WM_DIFF_BOOTSTRAP_H
#define WM_DIFF_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_REPLICATES = 1000, WM_SAMPLES_MIN = 8 };

enum wm_statistic { WM_MEAN, WM_MEDIAN };

/* A statistic and its replicates. Add to one that is zero to copy it. `known` is false where a series was too short
 * (fewer than WM_SAMPLES_MIN values): there is a point then, but no noise. */
struct wm_resample {
    bool known;
    double point;
    double variance, variance_share; /* of the point; sum of parts' squared variances by their degrees of freedom */
    double replicates[WM_REPLICATES];
};

/* Resample the series, in the order of time. Medians of more than some 500 values are drawn from the sorted values with
 * the spread that the blocks show, instead of sorting each replicate. 0 or -WM_ENOMEM. */
int wm_resample_make(struct wm_resample *resample, const double *values, size_t count, enum wm_statistic statistic,
                     uint64_t seed);
/* sum += weight * part. A part that is not known makes the sum so. */
void wm_resample_add(struct wm_resample *sum, const struct wm_resample *part, double weight);

/* b / a. `low` … `high` holds 95 %; `sure_low` … `sure_high` more: 1 - 0.05 / comparisons (Bonferroni), so that of all
 * comparisons together one in twenty lists has a false alarm. */
struct wm_ratio {
    double a, b, ratio; /* 0 when a is not above 0 */
    bool known;         /* there is an interval */
    double low, high, sure_low, sure_high;
};

/* `a` and `b` must come of different seeds: equal draws would cancel. */
struct wm_ratio wm_ratio_make(const struct wm_resample *a, const struct wm_resample *b, size_t comparisons);

/* The t that |T| exceeds with this probability, 0 < probability < 1; degrees of freedom from 1 on. */
double wm_student_quantile(double probability, double freedom);

#endif
