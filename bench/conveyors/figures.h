/* Figures on the terminal, and in a file. */
#ifndef BENCH_CONVEYORS_FIGURES_H
#define BENCH_CONVEYORS_FIGURES_H

#include "bench/conveyors/measure.h"

/* The head of a section's table, one of its lines, and what is to be said of hops and wrong sums. */
void bench_head_print(const struct bench_section *section, const struct bench_choice *choice);
void bench_line_print(const struct bench_result *result, const struct bench_choice *choice);

/* Write all results as JSON; a fault is said on stderr. */
bool bench_json_write(const char *file, const struct bench_choice *choice, const struct bench_result *results,
                      int count);

#endif
