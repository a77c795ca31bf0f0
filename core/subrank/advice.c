/* The model of superblocks, read backwards: from what was idle to the latency, and from there to a number of subranks.
 */
#include "core/subrank/advice.h"

#include <stdio.h>

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
    struct wm_advice advice = {.compute_ns = compute_ns,
                               .idle_ns = idle_ns,
                               .latency_ns = latency_ns,
                               .reason = reason_of(compute_ns, idle_ns, late_ns, latency_ns),
                               .subranks = subranks};

    if (advice.reason != WM_ADVICE_HIDDEN && advice.reason != WM_ADVICE_LATE)
        advice.subranks = fewest(compute_ns, latency_ns);
    return advice;
}

void wm_superblock_times_add(struct wm_superblock_times *sum, const struct wm_superblock_times *more)
{
    sum->pairs += more->pairs;
    sum->compute_ns += more->compute_ns;
    sum->idle_ns += more->idle_ns;
    if (more->late_ns <= sum->late_ns)
        return;
    sum->late_ns = more->late_ns;
    sum->late_rank = more->late_rank;
    sum->late_peer = more->late_peer;
    sum->late_tag = more->late_tag;
}

/* An iteration of a process is a pair of each of its subranks. */
struct wm_advice wm_advice_of_times(const struct wm_superblock_times *times, int processes, int subranks)
{
    double iterations = (double)times->pairs / subranks;

    return wm_advice_of((double)times->compute_ns / iterations, (double)times->idle_ns / iterations,
                        (double)times->late_ns * processes / iterations, subranks);
}

static void say_late(const struct wm_superblock_times *times, char *out, size_t out_bytes)
{
    if (times->late_peer < 0)
        snprintf(out, out_bytes, "most of that is one collective, for which rank %d waited; look who came late to it",
                 times->late_rank);
    else
        snprintf(out, out_bytes,
                 "most of that is one message, of rank %d from rank %d with tag %d; look why it came late",
                 times->late_rank, times->late_peer, times->late_tag);
}

void wm_advice_say(const struct wm_advice *advice, const struct wm_superblock_times *times, char *out, size_t out_bytes)
{
    switch (advice->reason) {
    case WM_ADVICE_HIDDEN:
        snprintf(out, out_bytes, "all messages are hidden; fewer subranks may do");
        return;
    case WM_ADVICE_LATE:
        say_late(times, out, out_bytes);
        return;
    case WM_ADVICE_SHORT:
        snprintf(out, out_bytes, "there is too little to compute to hide %.1f us of messages; try --subranks %d",
                 advice->latency_ns * 1e-3, advice->subranks);
        return;
    case WM_ADVICE_TOO_FEW:
        snprintf(out, out_bytes, "nothing else was ready while messages took %.1f us; try --subranks %d",
                 advice->latency_ns * 1e-3, advice->subranks);
        return;
    }
}

const char *wm_advice_word(enum wm_advice_reason reason)
{
    static const char *const words[] = {[WM_ADVICE_HIDDEN] = "hidden",
                                        [WM_ADVICE_LATE] = "late",
                                        [WM_ADVICE_SHORT] = "short",
                                        [WM_ADVICE_TOO_FEW] = "too-few"};

    return words[reason];
}
