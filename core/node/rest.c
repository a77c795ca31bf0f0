/* Giving the processor away while another process is awaited. */
#include "core/node/rest.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

enum { LONG_YIELD_NS = 500000, NAPS = 256, NAP_STEP_NS = 6000, NAP_MAX_NS = 1000000 };

/* Rests that are still slept through before a yield is tried again. */
static _Thread_local unsigned naps;

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A sleeper is woken before its time slice comes round. It sleeps longer the longer it waits: with the 50 µs that the
 * kernel adds to each sleep, some eighth of the time waited so far. */
static void nap(unsigned turn)
{
    long ns = turn < NAP_MAX_NS / NAP_STEP_NS ? (long)turn * NAP_STEP_NS : NAP_MAX_NS;

    nanosleep(&(struct timespec){0, ns}, NULL);
}

void wm_node_rest(unsigned turn)
{
    int64_t begin;

    if (naps > 0) {
        naps--;
        nap(turn);
        return;
    }
    begin = now_ns();
    sched_yield();
    if (now_ns() - begin > LONG_YIELD_NS)
        naps = NAPS;
}
