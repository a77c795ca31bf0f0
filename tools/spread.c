/* Percentiles of a set of values, by sorting it. */
#include "tools/spread.h"

#include <stdlib.h>
#include "tools/vector.h"

int wm_spread_add(struct wm_spread *spread, int64_t value)
{
    int rc = wm_vector_reserve(&spread->values, &spread->capacity, spread->count + 1, sizeof *spread->values);

    if (rc == 0)
        spread->values[spread->count++] = value;
    spread->sorted = false;
    return rc;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t wm_spread_at(struct wm_spread *spread, int percent)
{
    if (spread->count == 0)
        return 0;
    if (!spread->sorted)
        qsort(spread->values, spread->count, sizeof *spread->values, compare);
    spread->sorted = true;
    return spread->values[(spread->count * (size_t)percent + 99) / 100 - 1];
}

int64_t wm_spread_sum(const struct wm_spread *spread)
{
    int64_t sum = 0;

    for (size_t i = 0; i < spread->count; i++)
        sum += spread->values[i];
    return sum;
}

void wm_spread_release(struct wm_spread *spread)
{
    free(spread->values);
    *spread = (struct wm_spread){0};
}
