/* What bench/convey measures: contenders that carry the same items, each in a file of this folder.
 *
 * A section has a harness among its contenders: the same loop with a push and a pull that do nothing. Its time is
 * subtracted from the others'. Items and destinations come of one cheap generator, so that nothing is read from memory
 * for them; every item begins with a word that is added up on both sides. */
#ifndef BENCH_CONVEYORS_CONTENDER_H
#define BENCH_CONVEYORS_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { BENCH_ITEM_BYTES_MAX = 1024 };

struct bench_settings {
    int64_t capacity, buffers, n_local; /* of convey_new_tensor */
    int64_t batch_bytes;                /* of the MPI library's contenders: a rank, an exchange */
};

struct bench_case {
    int rank, ranks;
    size_t item_bytes; /* elastic: on average */
    bool elastic;
    int64_t items; /* that this rank pushes in a run */
    int64_t most;  /* that any rank does */
    uint64_t seed;
};

/* One run, at this rank. */
struct bench_run {
    double seconds, life_seconds; /* the run itself; making it ready and clearing up */
    uint64_t pushed, pulled;      /* sums of first words */
    int hops;                     /* of a conveyor as it says, else 0 */
};

struct bench_contender {
    const char *name, *meaning;
    int hops;    /* convey_new_tensor's order; 0: convey_new, or no conveyor */
    int variant; /* the file's own */
    bool bare;   /* the harness is no part of what it times */
    /* Make what runs need. NULL: it does not apply to this case. Collective. */
    void *(*open)(const struct bench_contender *contender, const struct bench_settings *settings,
                  const struct bench_case *c);
    /* Collective; fills in what is not 0. */
    void (*run)(void *state, const struct bench_case *c, struct bench_run *run);
    void (*close)(void *state);
};

struct bench_section {
    const char *name, *title;
    const struct bench_contender *const *contenders; /* the harness first; NULL ends them */
};

extern const struct bench_section bench_push_pull, bench_elastic, bench_queries, bench_histogram;
extern const struct bench_contender bench_alltoallv, bench_packed, bench_accumulate, bench_ring;

/* The next number of a sequence: the words of items, and their destinations. */
static inline uint64_t bench_next(uint64_t number)
{
    return number * UINT64_C(0x5851f42d4c957f2d) + UINT64_C(0x14057b7ef767814f);
}

static inline int64_t bench_destination(uint64_t number, int ranks)
{
    return (int64_t)((number >> 32) * (uint64_t)ranks >> 32);
}

static inline double bench_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A push and a pull that do nothing, and that the compiler must believe to do something. */
static inline bool bench_nothing(void *item, int64_t pe)
{
    __asm__ volatile("" : : "r"(item), "r"(pe) : "memory");
    return true;
}

#endif
