/* Computations of exact length. Where processors have several speeds, or stall, what a delay of a tenth of a
 * computation costs is less than two runs differ by. So a program may be told how long all computation of an iteration
 * shall last, that of all ranks together: each computation is made, and then waits, keeping the processor, until its
 * share of that time is over. One that takes longer than its share is late; how late all were is said behind the time
 * of an iteration. */
#ifndef EXAMPLES_SUBRANKS_EXACT_H
#define EXAMPLES_SUBRANKS_EXACT_H

#include <time.h>

extern double exact_us; /* of an iteration; 0: computations last as long as they do */
extern double exact_late_us;

static inline double exact_now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* When a computation begins. */
static inline double exact_begin(void)
{
    return exact_us > 0 ? exact_now_us() : 0;
}

/* It is made, and is this much of the whole problem's in an iteration, 1 of all ranks together: wait for its end. */
static inline void exact_end(double begin, double share)
{
    double now, end = begin + share * exact_us;

    if (exact_us <= 0)
        return;
    while ((now = exact_now_us()) < end)
        ;
    exact_late_us += now - end;
}

#endif
