/* Generated traces: the collectives of a job that never was, simulated message by message, so that every time in them
 * is consistent: receives end after their sends begin, enters nest, messages are numbered as planners number them.
 *
 * The same options make the same bytes: clocks, start pairs and the boot id are made up too. Used by
 * tests/tracer/generate.c (a program), by tests of damage, and for the fuzzer's first inputs. */
#ifndef WM_TESTS_GENERATED_H
#define WM_TESTS_GENERATED_H

#include <stdbool.h>
#include <stdint.h>

enum generated_shape { GENERATED_BINOMIAL, GENERATED_RING, GENERATED_BUTTERFLY, GENERATED_FLAT, GENERATED_SHAPES };
enum generated_operation {
    GENERATED_ALLREDUCE,
    GENERATED_BCAST,
    GENERATED_REDUCE,
    GENERATED_BARRIER,
    GENERATED_MIXED,
    GENERATED_OPERATIONS
};

extern const char *const generated_shape_names[GENERATED_SHAPES];
extern const char *const generated_operation_names[GENERATED_OPERATIONS];

struct generated_options {
    int ranks, hosts, communicators; /* hosts > 1: the map has a stage within hosts and one between them */
    uint64_t calls;                  /* on all communicators together */
    uint64_t events_per_rank;        /* > 0: as many calls as that takes on average */
    enum generated_operation operation;
    enum generated_shape shape;
    uint64_t bytes;     /* of a call; 0: a mixture from 8 bytes to 1 MiB */
    int64_t compute_ns; /* mean time between calls */
    int late_rank;      /* computes longer by late_factor; -1: none */
    double late_factor;
    int crash_rank; /* stops within call crash_call, counted from 0; -1: none. The others go on until they wait for it
                     */
    uint64_t crash_call;
    bool marks;          /* the program's marks, one a "step" of ten calls */
    bool superblocks;    /* regions before each call; two subranks a process */
    bool nonblocking;    /* calls two by two: both begin, both are waited for */
    bool native;         /* calls without a rule: node 0, no edges */
    bool open;           /* nothing is closed, as if the job were alive */
    uint64_t ring;       /* > 0: flight mode with so many records a rank; else the file holds all */
    int64_t skew_ns;     /* > 0: hosts have clocks of their own, this far apart; with SYNC records */
    double drift_ppm;    /* with skew_ns: the rates differ too */
    uint64_t sync_calls; /* with skew_ns: clocks are compared every so many calls, and at the start and end */
    uint64_t seed;
};

struct generated_options generated_defaults(void);

/* Write the trace into `directory`, which is made if need be. Returns the number of records; -1 with a sentence on
 * stderr. */
int64_t generated_make(const char *directory, const struct generated_options *options);

#endif
