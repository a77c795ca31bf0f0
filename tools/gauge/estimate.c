/* Estimates from noisy samples. */
#include "tools/gauge/estimate.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct wm_gauge_estimate wm_gauge_estimate(double *samples, int n)
{
    int away = (int)ceil(0.98 * sqrt(n)), low, high;

    if (n == 0)
        return (struct wm_gauge_estimate){0};
    qsort(samples, (size_t)n, sizeof *samples, compare);
    low = n / 2 - away;
    high = (n - 1) / 2 + away;
    return (struct wm_gauge_estimate){.value = (samples[n / 2] + samples[(n - 1) / 2]) / 2,
                                      .low = samples[low < 0 ? 0 : low],
                                      .high = samples[high >= n ? n - 1 : high],
                                      .n = n};
}

double wm_gauge_width(const struct wm_gauge_estimate *e, int n)
{
    double width = 0;

    for (int i = 0; i < n; i++)
        if (e[i].value > 0 && (e[i].high - e[i].low) / 2 / e[i].value > width)
            width = (e[i].high - e[i].low) / 2 / e[i].value;
    return width;
}
