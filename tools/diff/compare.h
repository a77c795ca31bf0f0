/* The comparison of two runs: what became faster and slower, with the noise of each.
 *
 * Whole calls are compared by the median of their durations, lines and edges by their mean rank time in a call. A
 * native call that counts its bytes in another way than a planned one (a block, or all of them) is known by its number.
 * The total puts the calls of both runs side by side: mean rank time of each key that both have, weighted by the calls
 * of the first run, so that a run that lost its oldest records can be compared; keys of which a run has too few calls
 * for its noise to be known stand in it only where there are no others. A verdict is given at once for all
 * (Bonferroni): of runs that do not differ, one in twenty pairs shows a row that is called faster or slower. */
#ifndef WM_DIFF_COMPARE_H
#define WM_DIFF_COMPARE_H

#include "tools/diff/bootstrap.h"
#include "tools/diff/sample.h"

enum { WM_EDGES_COMPARED = 100 };

/* clang-format off */
#define WM_VERDICTS(X)                                                                                          \
    X(ONLY_FIRST,  "only in DIR1", "it occurs in the first run alone")                                          \
    X(ONLY_SECOND, "only in DIR2", "it occurs in the second run alone")                                         \
    X(TOO_FEW,     "too few",      "there are fewer than eight calls in a run: nothing can be said of the noise") \
    X(SAME,        "no change seen", "the interval holds 1")                                                    \
    X(UNCLEAR,     "unclear",      "the interval does not hold 1, but among so many comparisons some do not by chance") \
    X(UNRESOLVED,  "unresolved",   "the difference is smaller than the clocks' error")                          \
    X(FASTER,      "faster",       "it takes less time, beyond chance")                                         \
    X(SLOWER,      "slower",       "it takes more time, beyond chance")
/* clang-format on */

enum wm_verdict {
#define X(id, name, help) WM_VERDICT_##id,
    WM_VERDICTS(X)
#undef X
        WM_VERDICT_COUNT
};

struct wm_diff_row {
    const struct wm_series *a, *b; /* one of them may be NULL */
    bool by_position;              /* lines: written differently, but at the same place of the map */
    struct wm_ratio time;          /* ns: calls: median duration; lines and edges: mean rank time a call */
    struct wm_ratio service;       /* calls: median over calls of the mean service of a rank */
    struct wm_ratio mean;          /* calls: mean rank time: unlike the median, rare long calls rule it */
    double wait_a, wait_b;         /* ns: mean wait for late ranks: calls: of a rank; else: rank time a call */
    double share;                  /* of the second run's rank time; of the first, where it is only there */
    enum wm_verdict verdict;
    /* sure_low is above 1 + threshold, and the share is at least WM_REGRESSION_SHARE; and not of a call whose mean rank
     * time has fallen beyond its noise, though its median rose. */
    bool regressed;
};

#define WM_REGRESSION_SHARE 0.01

struct wm_diff {
    const struct wm_samples *a, *b;
    double threshold;
    size_t count, capacity;
    struct wm_diff_row *rows; /* calls, lines, edges; of each the dearest first */
    size_t comparisons;       /* rows that have an interval */
    size_t edges_left_out;
    struct wm_ratio total; /* ns a rank of the first run, in calls that both runs have */
    enum wm_verdict total_verdict;
    bool total_regressed, regressed; /* the second: total or any row */
    uint64_t matched;                /* calls in the total */
};

/* Compare. `a` and `b` must stay until release. 0 or -WM_ENOMEM; release in any case. */
int wm_diff_make(struct wm_diff *diff, const struct wm_samples *a, const struct wm_samples *b, double threshold);
void wm_diff_release(struct wm_diff *diff);

const char *wm_verdict_name(enum wm_verdict verdict);

#endif
