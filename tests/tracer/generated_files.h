/* The files of a generated trace, for the simulation in tests/tracer/generated.c alone.
 *
 * The simulation is played twice: first without recorders, to learn how many records each rank has, then into files
 * that hold just these. Time is true time in nanoseconds since the job's start; what a rank's clock makes of it is the
 * business of the files. */
#ifndef WM_TESTS_GENERATED_FILES_H
#define WM_TESTS_GENERATED_FILES_H

#include "tests/tracer/generated.h"
#include "tracer/tracer.h"

enum { GENERATED_RANKS_MAX = 4096, GENERATED_MARKS = 3 };

/* The nodes of an operation's path: (trace outer) (within) (trace inner) (between); the latter two on several hosts. */
struct generated_nodes {
    int outer, within, inner, between;
};

struct generated_communicator {
    int size;
    int *ranks;   /* world rank of each member */
    int *members; /* 0 … size - 1 */
    uint32_t calls;
};

struct generated {
    const struct generated_options *options;
    struct generated_nodes nodes[GENERATED_OPERATIONS];
    struct generated_communicator *communicators;
    int64_t *now_ns;
    bool *stopped;
    uint64_t *counts;               /* records of each rank */
    struct wm_recorder **recorders; /* NULL while the simulation is only counted */
    uint64_t random, records, call, call_limit;
};

void generated_play(struct generated *g);

double generated_random(struct generated *g); /* 0 <= x < 1 */
int generated_host(const struct generated *g, int rank);
uint64_t generated_ticks_of(const struct generated *g, int64_t duration_ns);
/* Take a record of `rank` at true time `at_ns`; its time and the rank's id of the communicator are filled in here. */
void generated_put(struct generated *g, int rank, int64_t at_ns, const struct wm_trace_record *record);
/* All ranks compare clocks now. */
void generated_sync(struct generated *g);

#endif
