/* The progress line of a long run. */
#include "tools/bench/progress.h"

#include <stdio.h>
#include "tools/text/units.h"
#include "tracer/clock.h"

static const double quiet_s = 1;

static double now_s(void)
{
    return (double)wm_clock_monotonic_ns() * 1e-9;
}

void wm_bench_progress_init(struct wm_bench_progress *p, bool enabled, double total)
{
    *p = (struct wm_bench_progress){.enabled = enabled, .begin_s = now_s(), .total = total};
}

void wm_bench_progress_show(struct wm_bench_progress *p, const char *operation, uint64_t bytes)
{
    double passed = now_s() - p->begin_s, share = p->total > 0 ? p->done / p->total : 0;

    if (!p->enabled || passed < quiet_s)
        return;
    fprintf(stderr, "\r%s, %s: %.0f %%", operation, wm_bytes_text(bytes).text, 100 * share);
    if (share > 0)
        fprintf(stderr, ", about %s left", wm_time_text((int64_t)(passed * (1 - share) / share * 1e9)).text);
    fputs("\033[K", stderr);
    fflush(stderr);
    p->shown = true;
}

void wm_bench_progress_add(struct wm_bench_progress *p, double work)
{
    p->done += work;
}

void wm_bench_progress_clear(struct wm_bench_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
