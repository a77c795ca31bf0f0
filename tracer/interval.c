/* Offset intervals between two clocks, out of the times of ping-pongs. */
#include "tracer/interval.h"

#include <string.h>

/* Two clocks drift apart by no more than this many ns a second: crystals are good to 100 ppm or better. */
static const int64_t DRIFT_MAX_PPM = 200;

static int64_t difference(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b);
}

static int64_t drift_between(uint64_t a_ns, uint64_t b_ns)
{
    int64_t apart_ns = difference(a_ns, b_ns);

    return (apart_ns < 0 ? -apart_ns : apart_ns) / (1000000 / DRIFT_MAX_PPM);
}

void wm_interval_add(struct wm_interval *interval, const struct wm_clock_exchange *exchange)
{
    if (interval->count == WM_INTERVAL_EXCHANGES_MAX || exchange->back_ns < exchange->sent_ns ||
        exchange->there_out_ns < exchange->there_in_ns)
        return;
    interval->exchanges[interval->count++] = *exchange;
}

static int64_t travel_ns(const struct wm_clock_exchange *x)
{
    return difference(x->back_ns, x->sent_ns) - difference(x->there_out_ns, x->there_in_ns);
}

static uint64_t tightest_middle(const struct wm_interval *interval)
{
    const struct wm_clock_exchange *best = &interval->exchanges[0];

    for (int i = 1; i < interval->count; i++)
        if (travel_ns(&interval->exchanges[i]) < travel_ns(best))
            best = &interval->exchanges[i];
    return best->sent_ns + (best->back_ns - best->sent_ns) / 2;
}

/* Times are cut to whole ns at both ends: one more on either side. */
static void meet(const struct wm_clock_exchange *x, uint64_t at_ns, int64_t *lower_ns, int64_t *upper_ns)
{
    int64_t low = difference(x->there_out_ns, x->back_ns) - drift_between(x->back_ns, at_ns) - 1;
    int64_t high = difference(x->there_in_ns, x->sent_ns) + drift_between(x->sent_ns, at_ns) + 1;

    *lower_ns = low > *lower_ns ? low : *lower_ns;
    *upper_ns = high < *upper_ns ? high : *upper_ns;
}

bool wm_interval_offset(const struct wm_interval *interval, struct wm_offset *offset)
{
    int64_t lower_ns = INT64_MIN, upper_ns = INT64_MAX;

    memset(offset, 0, sizeof *offset);
    if (interval->count == 0)
        return false;
    uint64_t at_ns = tightest_middle(interval);

    for (int i = 0; i < interval->count; i++)
        meet(&interval->exchanges[i], at_ns, &lower_ns, &upper_ns);
    if (lower_ns > upper_ns)
        return false;
    offset->at_ns = at_ns;
    offset->half_ns = (upper_ns - lower_ns) / 2 + 1;
    offset->offset_ns = lower_ns + (upper_ns - lower_ns) / 2;
    return true;
}

bool wm_offset_is_zero(const struct wm_offset *offset)
{
    return offset->offset_ns <= offset->half_ns && offset->offset_ns >= -offset->half_ns;
}
