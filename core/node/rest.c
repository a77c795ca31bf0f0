/* Giving the processor away while another process is awaited. */
#include "core/node/rest.h"

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "core/node/ticks.h"

/* A process that computes keeps the processor for 1.5 to 4 ms; ranks that compute between two yields of theirs, seldom
 * for so long. */
enum { LONG_YIELD_TICKS = 1 << 22, SOON_TICKS = 1 << 25, MOST_NAPS = 256, YIELDS_PER_LOOK = 8 };

/* Rests that are slept through before a yield is tried again: so many are left of `count`; when the last one was over.
 * `count` is 0 when no yield has been long lately; how many there were without a look. */
static _Thread_local struct {
    unsigned left, count, yields;
    uint64_t end;
} naps;

/* Beside a process that computes, the yield after the naps is soon long again, so there are more of them each time.
 * Where all yield, a yield is long now and then. */
static void judge(uint64_t begin, uint64_t end)
{
    if (begin - naps.end > SOON_TICKS)
        naps.count = 0;
    if (end - begin <= LONG_YIELD_TICKS)
        return;
    naps.count = naps.count > 0 ? naps.count * 4 : 1;
    if (naps.count > MOST_NAPS)
        naps.count = MOST_NAPS;
    naps.left = naps.count;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1}, NULL);
    if (--naps.left == 0)
        naps.end = wm_node_ticks();
}

static bool is_looked_at(void)
{
    return naps.count > 0 || naps.yields++ % YIELDS_PER_LOOK == 0;
}

bool wm_node_rest(void)
{
    uint64_t begin;

    if (naps.left > 0) {
        nap();
        return true;
    }
    if (!is_looked_at()) {
        syscall(SYS_sched_yield);
        return false;
    }
    begin = wm_node_ticks();
    syscall(SYS_sched_yield);
    judge(begin, wm_node_ticks());
    return false;
}

__attribute__((visibility("default"))) int sched_yield(void)
{
    wm_node_rest();
    return 0;
}
