/* Measuring one case: all contenders of a section take turns, round by round. */
#ifndef BENCH_CONVEYORS_MEASURE_H
#define BENCH_CONVEYORS_MEASURE_H

#include "bench/conveyors/settings.h"

enum { BENCH_CONTENDERS_MAX = 12 };

struct bench_figure {
    const struct bench_contender *contender;
    bool measured;
    double raw_ns, net_ns; /* an item a rank, with and without the harness: medians, or the best */
    double *round_ns;      /* [rounds] raw */
    double life_us;        /* begin and reset together, of a run: median */
    int hops;              /* as the conveyor says */
    bool wrong;            /* what was pulled is not what was pushed */
};

/* Figures of one case; released by bench_result_release. */
struct bench_result {
    const struct bench_section *section;
    const struct bench_load *load;
    struct bench_case at;
    int repetitions; /* runs of a round */
    int count;
    struct bench_figure figure[BENCH_CONTENDERS_MAX]; /* the harness first */
};

/* Collective; the result is the same at all ranks. */
void bench_measure(struct bench_result *result, const struct bench_choice *choice, const struct bench_section *section,
                   size_t item_bytes, const struct bench_load *load);
void bench_result_release(struct bench_result *result);

const struct bench_figure *bench_figure_of(const struct bench_result *result, const char *contender);

#endif
