/* The result of a benchmark: one JSON object, which the program that measures makes and all that shows it reads.
 *
 *   {"waymark": "0.4", "date": "2026-01-31T12:00:00Z", "host": "h1", "ranks": 2, "nodes": 1, "cores": 2,
 *    "library": "Open MPI v4.1.4, …",
 *    "settings": {…},                   what the command line asked for (tools/bench/settings.h)
 *    "contenders": [{"name": "default", "native": true}, {"name": "fast", "native": false, "file": "/…/fast.scm"}],
 *    "operations": [{"name": "allreduce", "sizes": [
 *      {"bytes": 8, "rotate_bytes": 0,  for each size and rotation
 *       "calls": 900, "rounds": 31,     calls in a row make a batch, batches samples
 *       "flags": {"min_ns": …, …},      what a bare exchange of flags took, where that is the limit
 *       "results": [{"contender": "default", "native": true, "verified": true, "min_ns": 140.1, "median_ns": 151.3,
 *                    "p95_ns": 170.2, "slowest": {"min_ns": …, "median_ns": …, "p95_ns": …}}, …]}]}],
 *    "left_out": ["alltoall of 4 MiB: …"],   sizes that were not measured, with the reason
 *    "interrupted": false}
 *
 * Of a prediction, `waymark predict`: "predicted": true, "profile": "machine.json" in place of "library", and for the
 * plot sizes may have "ranks", too: then time is drawn over these.
 *
 * Times are per call. A sample is the mean over the ranks of what a batch took there; "slowest" is made from the
 * slowest ranks instead. Native contenders, modules of the MPI library, stand before the maps. A contender whose
 * results were wrong has "verified": false and no times. What a reader misses counts as absent: a file may come from
 * another version. Pure: no MPI. */
#ifndef WM_BENCH_RESULT_H
#define WM_BENCH_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"
#include "tools/text/units.h"

/* One contender's times of one operation and size, in ns a call. */
struct wm_bench_times {
    double min_ns, median_ns, p95_ns;
};

/* Sort samples and read the figures off; `count` > 0. */
struct wm_bench_times wm_bench_times_of(double *samples_ns, int count);

/* The times of a contender. False when it has none: it was not measured, or its results were wrong. */
bool wm_bench_read_times(const json_t *size, const char *contender, struct wm_bench_times *times);

/* What a bare exchange of flags took; false where it is not known. */
bool wm_bench_read_flags(const json_t *size, struct wm_bench_times *times);

/* The native contender with the least median; NULL when none has times. */
const char *wm_bench_best_native(const json_t *size);

/* How many times as fast as the best native contender another one is, by medians; 0 when one of them has no times. */
double wm_bench_ratio(const json_t *size, const char *contender);

/* What the ratios of an operation's sizes and rotations add up to. */
struct wm_bench_ratios {
    int count; /* of those that there are; 0: the rest says nothing */
    double median, worst, best;
    const json_t *worst_size, *best_size; /* entries of "sizes" */
};

struct wm_bench_ratios wm_bench_ratios_of(const json_t *operation, const char *contender);

/* "name" of an object, "?" when it has none. */
const char *wm_bench_name(const json_t *object);
/* "bytes" of a size. */
uint64_t wm_bench_bytes(const json_t *size);
/* "rotate_bytes" of a size. */
uint64_t wm_bench_rotation(const json_t *size);

/* "native" of a contender or of an entry of "results". */
bool wm_bench_is_native(const json_t *object);
/* How many contenders are native. */
int wm_bench_native_count(const json_t *result);

/* Some operation was measured with several rotations. */
bool wm_bench_has_rotations(const json_t *result);

/* "64 KiB"; "64 KiB@4 MiB" where there are several rotations. */
struct wm_text wm_bench_place(const json_t *size, bool rotations);

/* Read a result from a file. NULL with the error filled when it cannot be read, or is no result. */
json_t *wm_bench_load(const char *file, struct wm_error *error);

#endif
