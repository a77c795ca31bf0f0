/* What bench/convey was told to measure. */
#ifndef BENCH_CONVEYORS_SETTINGS_H
#define BENCH_CONVEYORS_SETTINGS_H

#include "bench/conveyors/contender.h"

enum { BENCH_LIST_MAX = 16 };

/* How much a run carries: items a pair of ranks, or bytes a rank. */
struct bench_load {
    double value;
    bool bytes;
    char text[24];
};

struct bench_choice {
    struct bench_settings settings;
    int64_t rounds, elastic_bytes;
    size_t bytes[BENCH_LIST_MAX];
    int bytes_count;
    struct bench_load loads[BENCH_LIST_MAX];
    int loads_count;
    const char *sections, *only; /* names with commas; NULL: all */
    bool best;                   /* show the best of the rounds instead of the median */
    const char *json;            /* a file, or NULL */
};

/* Returns true; or false: *status is the exit status, and what is to be said was said, if this is rank 0. */
bool bench_choose(struct bench_choice *choice, int argc, char **argv, int rank, int *status);

/* Is `name` one of the names, which stand with commas between them? NULL: it is. */
bool bench_named(const char *names, const char *name);

/* The sections of all; NULL ends them. */
extern const struct bench_section *const bench_sections[];

#endif
