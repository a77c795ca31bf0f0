/* Results shown: as text, as comma-separated values, as a plot. All read the object of tools/bench/result.h. */
#ifndef WM_BENCH_SHOW_H
#define WM_BENCH_SHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "core/error.h"
#include "tools/text/table.h"

/* A table for each operation, and a summary. */
void wm_bench_text(const json_t *result, const struct wm_terminal *terminal);

/* What the tables add up to: how much faster than the best native contender each map is, where it is slower, and how it
 * fares operation by operation; and what of that is the machine's own limit. */
void wm_bench_summary(const json_t *result, const struct wm_terminal *terminal);

/* A self-contained SVG: a panel for each operation, time over bytes, both axes logarithmic. */
void wm_bench_plot(const json_t *result, FILE *out);

/* Write the result in a format ("text", "json", "csv") to a file, or, where it is NULL, to standard output, and a plot
 * to another where that is not NULL. `color`: standard output takes it. Returns 0 or -WM_ESYSTEM with a sentence. */
int wm_bench_write(const json_t *result, const char *format, const char *output, const char *plot, bool color,
                   struct wm_error *error);

#endif
