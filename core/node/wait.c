/* Waiting for another process of the node. */
#include "core/node/node.h"

#include "core/node/pause.h"
#include "core/node/progress_library.h"
#include "core/node/rest.h"
#include "core/node/ticks.h"

/* A pause is long beside the time a cache line takes, so the first turns do without. Spins are limited by the clock,
 * since a turn of a shared step looks for 2 µs itself. The library is asked every so often even of a crowded node: what
 * a peer waits for may be its message. */
enum { BARE_SPINS = 50, SPIN_TICKS_MIN = 1 << 13, SPIN_TICKS_MAX = 1 << 16, CROWDED_SPINS = 20, YIELDS_PER_WORK = 8 };

/* This thread's latest wait on a node that is not crowded. Its spins end after 4 to 27 µs: where hosts are containers,
 * the awaited rank may need the processor that this one holds. After a wait that was longer the next one spins for
 * 4 µs, after each shorter one for twice as long as before. */
static _Thread_local struct {
    uint64_t begin, spin_ticks;
    bool was_long;
} latest = {.was_long = true};

static void begin_wait(uint64_t now)
{
    latest.begin = now;
    if (latest.was_long)
        latest.spin_ticks = SPIN_TICKS_MIN;
    else if (latest.spin_ticks < SPIN_TICKS_MAX)
        latest.spin_ticks *= 2;
    latest.was_long = false;
}

static bool may_spin(bool crowded, unsigned turn)
{
    uint64_t now;

    if (crowded)
        return turn < CROWDED_SPINS;
    now = wm_node_ticks();
    if (turn == 0)
        begin_wait(now);
    latest.was_long |= now - latest.begin > SPIN_TICKS_MAX;
    return now - latest.begin < latest.spin_ticks;
}

void wm_node_wait(bool crowded, unsigned turn)
{
    if (may_spin(crowded, turn)) {
        if (turn >= BARE_SPINS)
            wm_pause();
    } else if (wm_node_rest() || turn % YIELDS_PER_WORK == 0) {
        wm_progress_work();
    }
}
