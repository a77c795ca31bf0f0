/* A clock for waits: fast to read, and of no exact unit. */
#ifndef WM_NODE_TICKS_H
#define WM_NODE_TICKS_H

#include <stdint.h>
#include <time.h>

/* Some 0.4 ns each where the processor's counter can be read, else half nanoseconds. */
static inline uint64_t wm_node_ticks(void)
{
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 2 * ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
#endif
}

#endif
