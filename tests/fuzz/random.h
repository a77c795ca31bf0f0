/* Random numbers of the fuzzers: a seed decides all that comes. */
#ifndef WM_TESTS_FUZZ_RANDOM_H
#define WM_TESTS_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_random {
    uint64_t state;
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t fuzz_next(struct fuzz_random *random)
{
    uint64_t x = random->state += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* From 0 to limit - 1; 0 of nothing. */
static inline size_t fuzz_below(struct fuzz_random *random, size_t limit)
{
    return limit > 0 ? (size_t)(fuzz_next(random) % limit) : 0;
}

static inline bool fuzz_chance(struct fuzz_random *random, unsigned percent)
{
    return fuzz_below(random, 100) < percent;
}

/* One of an array. */
#define FUZZ_PICK(random, array) ((array)[fuzz_below(random, sizeof(array) / sizeof *(array))])

#endif
