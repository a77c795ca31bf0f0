/* The model of superblocks, read backwards: from what was idle to the latency, and from there to a number of subranks.
 */
#include "core/subrank/advice.h"

enum { SUBRANKS_MAX = 64 };

static const double negligible = 0.02, near = 1.05;

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static int fewest(double compute_ns, double latency_ns)
{
    double best = greater(compute_ns, latency_ns + compute_ns / SUBRANKS_MAX);
    int count = 1;

    while (count < SUBRANKS_MAX && greater(compute_ns, latency_ns + compute_ns / count) > near * best)
        count *= 2;
    return count;
}

static enum wm_advice_reason reason_of(double compute_ns, double idle_ns, double late_ns, double latency_ns)
{
    if (idle_ns <= negligible * (compute_ns + idle_ns))
        return WM_ADVICE_HIDDEN;
    if (late_ns > idle_ns / 2)
        return WM_ADVICE_LATE;
    return latency_ns > compute_ns ? WM_ADVICE_SHORT : WM_ADVICE_TOO_FEW;
}

/* An iteration takes c and what is idle. */
struct wm_advice wm_advice_of(double compute_ns, double idle_ns, double late_ns, int subranks)
{
    double latency_ns = compute_ns + idle_ns - compute_ns / subranks;
    struct wm_advice advice = {
        .latency_ns = latency_ns, .reason = reason_of(compute_ns, idle_ns, late_ns, latency_ns), .subranks = subranks};

    if (advice.reason != WM_ADVICE_HIDDEN && advice.reason != WM_ADVICE_LATE)
        advice.subranks = fewest(compute_ns, latency_ns);
    return advice;
}
