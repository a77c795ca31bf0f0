/* The result of a benchmark: one JSON object, which the program that measures makes and all that shows it reads.
 *
 *   {"waymark": "0.4", "date": "2026-01-31T12:00:00Z", "host": "h1", "ranks": 2, "nodes": 1, "cores": 2,
 *    "library": "Open MPI v4.1.4, …", "settings": {…},            what the command line asked for
 * (tools/bench/settings.h) "contenders": [{"name": "native"}, {"name": "fast", "file": "/…/fast.scm"}],   the first of
 * them native, or none is "operations": [{"name": "allreduce", "sizes": [{"bytes": 8, "calls": 900, "rounds": 31, calls
 * in a row make a batch, batches samples "results": [{"contender": "native", "verified": true, "min_ns": 140.1,
 * "median_ns": 151.3, "p95_ns": 170.2, "slowest": {"min_ns": …, "median_ns": …, "p95_ns": …}}, …]}]}], "left_out":
 * ["alltoall of 4 MiB: …"],          sizes that were not measured, with the reason "interrupted": false}
 *
 * Times are per call. A sample is the mean over the ranks of what a batch took there; "slowest" is made from the
 * slowest ranks instead. A contender whose results were wrong has "verified": false and no times. What a reader misses
 * counts as absent: a file may come from another version. Pure: no MPI. */
#ifndef WM_BENCH_RESULT_H
#define WM_BENCH_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"

/* Name of the contender that is the MPI library. */
#define WM_BENCH_NATIVE "native"

/* One contender's times of one operation and size, in ns a call. */
struct wm_bench_times {
    double min_ns, median_ns, p95_ns;
};

/* Sort samples and read the figures off; `count` > 0. */
struct wm_bench_times wm_bench_times_of(double *samples_ns, int count);

/* The times of a contender. False when it has none: it was not measured, or its results were wrong. */
bool wm_bench_read_times(const json_t *size, const char *contender, struct wm_bench_times *times);

/* How many times as fast as native a contender is, by medians; 0 when one of them has no times. */
double wm_bench_ratio(const json_t *size, const char *contender);

/* "name" of an object, "?" when it has none; its "bytes". */
const char *wm_bench_name(const json_t *object);
uint64_t wm_bench_bytes(const json_t *size);

/* Native is among the contenders. */
bool wm_bench_has_native(const json_t *result);

/* Read a result from a file. NULL with the error filled when it cannot be read, or is no result. */
json_t *wm_bench_load(const char *file, struct wm_error *error);

#endif
