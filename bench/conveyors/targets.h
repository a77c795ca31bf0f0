/* What conveyors are to reach, beside what they did. */
#ifndef BENCH_CONVEYORS_TARGETS_H
#define BENCH_CONVEYORS_TARGETS_H

#include "bench/conveyors/measure.h"

/* Print the targets that these results speak of, with what was reached at each load. */
void bench_targets_print(const struct bench_result *results, int count);

#endif
