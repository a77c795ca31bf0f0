/* Percentiles of a set of values, by sorting it. */
#include "tools/text/spread.h"

#include <stdlib.h>
#include "core/vector.h"

enum { RADIX_FROM = 1000 };

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

/* One pass of a radix sort, by the byte at `shift`. False when that is the same in all values, and nothing is done. */
static bool pass(const int64_t *from, int64_t *to, size_t count, int shift)
{
    static const uint64_t sign = UINT64_C(1) << 63; /* negative values come first */
    size_t places[256] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        places[(((uint64_t)from[i] ^ sign) >> shift) & 255]++;
    for (int i = 0; i < 256; i++) {
        size_t here = places[i];

        if (here == count)
            return false;
        places[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[places[(((uint64_t)from[i] ^ sign) >> shift) & 255]++] = from[i];
    return true;
}

/* Spreads of a trace have millions of values: qsort takes a second for them. */
static void sort(struct wm_spread *spread)
{
    int64_t *other = spread->count > RADIX_FROM ? malloc(spread->capacity * sizeof *other) : NULL;

    for (int shift = 0; other != NULL && shift < 64; shift += 8) {
        if (pass(spread->values, other, spread->count, shift)) {
            int64_t *sorted = other;

            other = spread->values;
            spread->values = sorted;
        }
    }
    if (other == NULL)
        qsort(spread->values, spread->count, sizeof *spread->values, compare);
    free(other);
    spread->sorted = true;
}

int64_t wm_spread_at(struct wm_spread *spread, int percent)
{
    if (spread->count == 0)
        return 0;
    if (!spread->sorted)
        sort(spread);
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
