/* Conveyors as contenders make them. */
#ifndef BENCH_CONVEYORS_CONVEYOR_H
#define BENCH_CONVEYORS_CONVEYOR_H

#include "bench/conveyors/contender.h"
#include "waymark/convey.h"

/* By convey_new, or convey_new_tensor if the contender names hops; elastic for items of up to `bound` bytes, if that is
 * not 0. NULL: it does not apply, since there are too few ranks for so many hops. */
convey_t *bench_conveyor(const struct bench_contender *contender, const struct bench_settings *settings,
                         const struct bench_case *c, size_t bound);

/* convey_begin and convey_reset, timed, and the ranks brought together between begin and the run. Returns the time. */
double bench_begin(convey_t *c, size_t item_bytes, struct bench_run *run);
void bench_end(convey_t *c, double start, struct bench_run *run);

/* Ranks of a node for paths of several hops: as it was set, or the divisor of `ranks` that is nearest to its root. */
int64_t bench_local(const struct bench_settings *settings, int ranks);

#endif
