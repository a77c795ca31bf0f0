/* Waiting for another process of the node. */
#include "core/node/node.h"

#include "core/node/pause.h"
#include "core/node/progress_library.h"
#include "core/node/rest.h"
#include "core/node/ticks.h"

/* A pause is long beside the time a cache line takes, so the first turns do without. Spins are limited by the clock,
 * some 27 µs: a turn of a shared step looks for 2 µs itself, and who waits for a rank of another host may well hold the
 * processor that this one needs, where hosts are containers. The library is asked every so often even of a crowded
 * node: what a peer waits for may be its message. */
enum { BARE_SPINS = 50, SPIN_TICKS = 1 << 16, CROWDED_SPINS = 20, YIELDS_PER_WORK = 8 };

static _Thread_local uint64_t spins_end;

static bool may_spin(bool crowded, unsigned turn)
{
    if (crowded)
        return turn < CROWDED_SPINS;
    if (turn == 0)
        spins_end = wm_node_ticks() + SPIN_TICKS;
    return wm_node_ticks() < spins_end;
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
