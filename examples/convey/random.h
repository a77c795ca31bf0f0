/* Random numbers by number: the k-th of a stream costs as much as the first, so any rank can make any other's. */
#ifndef EXAMPLES_CONVEY_RANDOM_H
#define EXAMPLES_CONVEY_RANDOM_H

#include <stdint.h>

/* A bijection of 64 bits in which every bit of x matters to every bit of the result. */
static inline uint64_t random_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    return x ^ x >> 32;
}

/* Number k of stream `stream`. */
static inline uint64_t random_at(int64_t seed, int64_t stream, int64_t k)
{
    return random_mix(random_mix((uint64_t)seed * 0x9e3779b97f4a7c15 + (uint64_t)stream) + (uint64_t)k);
}

/* The same, from 0 to below - 1. */
static inline int64_t random_below(int64_t seed, int64_t stream, int64_t k, int64_t below)
{
    return (int64_t)((unsigned __int128)random_at(seed, stream, k) * (uint64_t)below >> 64);
}

/* A bijection of the numbers below 2^bits: a shuffle that needs no memory. */
static inline int64_t random_shuffled(int64_t seed, int64_t stream, int64_t number, int bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1, x = (uint64_t)number;

    for (int round = 0; round < 4; round++) {
        uint64_t key = random_at(seed, stream, round);

        x = (x ^ key) & mask;
        x = x * (key >> 32 | 1) & mask;
        x ^= x >> (bits / 2 + 1);
    }
    return (int64_t)x;
}

#endif
