/* Waiting for another process of the node. */
#include "core/node/node.h"

#include "core/node/pause.h"
#include "core/node/progress_library.h"
#include "core/node/rest.h"

/* In turns. A pause is long beside the time a cache line takes, so the first turns do without. The library is asked
 * every so often even of a crowded node: what a peer waits for may be its message. */
enum { BARE_SPINS = 50, SPINS = 2000, CROWDED_SPINS = 20, SPINS_PER_WORK = 256, YIELDS_PER_WORK = 8 };

void wm_node_wait(bool crowded, unsigned turn)
{
    if (turn < (crowded ? CROWDED_SPINS : SPINS)) {
        if (turn % SPINS_PER_WORK == SPINS_PER_WORK - 1)
            wm_progress_idle();
        else if (turn >= BARE_SPINS)
            wm_pause();
        return;
    }
    if (wm_node_rest() || turn % YIELDS_PER_WORK == 0)
        wm_progress_work();
}
