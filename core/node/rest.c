/* Giving the processor away while another process is awaited. */
#include "core/node/rest.h"

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONG_YIELD_NS = 500000, NAPS = 256 };

/* Rests that are still slept through before a yield is tried again. */
static _Thread_local unsigned naps;

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool wm_node_rest(void)
{
    int64_t begin;

    if (naps > 0) {
        naps--;
        nanosleep(&(struct timespec){0, 1}, NULL);
        return true;
    }
    begin = now_ns();
    syscall(SYS_sched_yield);
    if (now_ns() - begin > LONG_YIELD_NS)
        naps = NAPS;
    return false;
}

__attribute__((visibility("default"))) int sched_yield(void)
{
    wm_node_rest();
    return 0;
}
