/* Bounds for errors to come. */
#include "tools/gauge/bounds.h"

#include <stdlib.h>

static int compare_sizes(const void *a, const void *b)
{
    const struct wm_gauge_miss *x = a, *y = b;

    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int compare_errors(const void *a, const void *b)
{
    double x = ((const struct wm_gauge_miss *)a)->error, y = ((const struct wm_gauge_miss *)b)->error;

    return (x > y) - (x < y);
}

/* Behind the last one of a bracket of about `each` that begins at `first`. */
static int end_of_bracket(const struct wm_gauge_miss *misses, int n, int first, int each)
{
    int end = first + each;

    while (end < n && misses[end].bytes == misses[end - 1].bytes)
        end++;
    return n - end < WM_GAUGE_BRACKET ? n : end;
}

static struct wm_gauge_bound bound_of(struct wm_gauge_miss *misses, int n)
{
    struct wm_gauge_bound bound = {.up_to = misses[n - 1].bytes, .n = n};

    qsort(misses, (size_t)n, sizeof *misses, compare_errors);
    bound.median = (misses[n / 2].error + misses[(n - 1) / 2].error) / 2;
    bound.ninety = misses[(9 * (n + 1) + 9) / 10 - 1].error;
    return bound;
}

int wm_gauge_find_bounds(struct wm_gauge_bound *bounds, struct wm_gauge_miss *misses, int n)
{
    int count = 0, brackets = n >= 2 * WM_GAUGE_BRACKET ? n / WM_GAUGE_BRACKET : 1;

    if (n < WM_GAUGE_BOUND_LEAST)
        return 0;
    qsort(misses, (size_t)n, sizeof *misses, compare_sizes);
    for (int first = 0, end; first < n; first = end) {
        end = end_of_bracket(misses, n, first, n / brackets);
        bounds[count++] = bound_of(&misses[first], end - first);
    }
    bounds[count - 1].up_to = 0;
    return count;
}
