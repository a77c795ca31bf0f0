/* Samples of a benchmark: the time, and what stands in the middle. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdlib.h>
#include <time.h>

static inline double bench_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int bench_compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Sorts the samples, of which there is an odd number: the middle one. */
static inline double bench_median(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, bench_compare);
    return samples[count / 2];
}

#endif
