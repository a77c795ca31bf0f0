/* How far off predictions are: bounds for calls to come, by the errors of calls that were predicted and timed. Pure.
 *
 * Split conformal prediction: if the next call is drawn as n calls before were, its error exceeds the
 * ceil(9 (n + 1) / 10)-th smallest of theirs with a chance of a tenth at most, whatever errors are like. That holds on
 * average over all calls. Errors of small calls and of large ones are not alike, so that one bound would hold for all
 * of the former and for four of five of the latter: each bracket of sizes has its own. Source: Lei, G'Sell, Rinaldo,
 * Tibshirani, Wasserman, Distribution-free predictive inference for regression, 2018, algorithm 2; by brackets: Vovk,
 * Conditional validity of inductive conformal predictors, 2012. */
#ifndef WM_GAUGE_BOUNDS_H
#define WM_GAUGE_BOUNDS_H

#include <stdint.h>

/* So many calls tell a bound; brackets have so many each where there are two and more. */
enum { WM_GAUGE_BOUND_LEAST = 9, WM_GAUGE_BRACKET = 19 };

struct wm_gauge_miss {
    uint64_t bytes;
    double error; /* of a prediction, relative to it; not negative */
};

struct wm_gauge_bound {
    uint64_t up_to; /* bytes; the last bound: 0, any size */
    int n;
    double median, ninety; /* half of the calls were no further off; nine of ten to come are not */
};

/* Make bounds of the misses, by rising size; one for each WM_GAUGE_BRACKET misses at most. Calls of one size are of one
 * bracket. The misses are sorted. Returns how many there are; 0: there are too few misses. */
int wm_gauge_find_bounds(struct wm_gauge_bound *bounds, struct wm_gauge_miss *misses, int n);

#endif
