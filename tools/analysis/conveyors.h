/* Conveyors: what a trace tells of them (docs/definitions.md, "Conveyors").
 *
 * The totals are those of one pipeline of a conveyor, over all its runs and ranks; another pipeline (another size of
 * item, another answer of the map) has totals of its own. Everything is counted by hop. A buffer is filled from its
 * open to its close; its hop takes from the close to the take, at the other end, of the chunk in which its first unit
 * comes; a chunk stays from its take until it is given back. Closes and takes are matched by positions of units on
 * their link, which both ends count. So, if the trace is whole, units closed are units taken on every link, and the
 * items that the first links are given by pushes are the items pushed.
 *
 * A watched item is followed from its push over the arrivals and relays of its ticks; what its hops and relays take
 * adds up to what its last arrival says of its age, but for the clocks' disagreement.
 *
 * Whoever waits for room is blocked by the rank at the link's other end; if that rank waited for room itself during at
 * least half of that time, by whom that was; and so on: the last of the chain, who waited for nobody, is its root. */
#ifndef WM_CONVEYORS_H
#define WM_CONVEYORS_H

#include "tools/text/spread.h"
#include "tracer/reader.h"

enum wm_conveyor_net { WM_CONVEYOR_SELF, WM_CONVEYOR_SHM, WM_CONVEYOR_MPI, WM_CONVEYOR_OTHER, WM_CONVEYOR_NETS };

enum { WM_CONVEYOR_REASONS = 4, WM_CONVEYOR_SIZES = 48, WM_CONVEYOR_CELLS_MAX = 64 };

struct wm_hop_totals {
    const char *axis;
    uint64_t buffers, closed_by[WM_CONVEYOR_REASONS]; /* full, flush, urgent, endgame */
    uint64_t relayed;                                 /* of the buffers: opened for a relay's item */
    uint64_t meagre;                                  /* under a quarter full */
    uint64_t bytes_over[WM_CONVEYOR_NETS];
    uint64_t units, bytes, taken;      /* handed over; units that were given back at the other end */
    uint64_t sizes[WM_CONVEYOR_SIZES]; /* [i] buffers of 2^i bytes up to twice as many */
    uint64_t unmatched;                /* buffers of which the take is not in the trace */
    uint64_t links, uneven_links;      /* used; of these with units closed that are not those taken */
    struct wm_spread fill_permille;
    struct wm_spread fill_ns, hop_ns, stay_ns; /* open to close, close to take, take to give */
    struct wm_spread early_ns;                 /* from a take to the first pull, where that is later */
    uint64_t *sent;                            /* [cells × cells] units from ranks to ranks of the hop's links */
};

/* Time that `from` waited for room on links to `to`, as it comes back to `root`. World ranks. */
struct wm_conveyor_block {
    int hop, from, to, root;
    uint64_t times;
    int64_t ns;
};

struct wm_conveyor_totals {
    uint32_t communicator, run;                 /* key; the first run of this pipeline */
    const struct wm_trace_conveyor *definition; /* of its lowest rank that can be read */
    int ranks, rank_count;                      /* of the communicator; of them, those that can be read */
    int cells;                                  /* rows of `sent`: ranks, or as many equal groups of them */
    uint64_t runs, begun, finished;             /* runs; of each rank, and those that are complete */
    int hop_count;
    struct wm_hop_totals hops[WM_TRACE_HOPS_MAX];
    uint64_t pushed, pulled, refused; /* items, in runs that are complete */
    uint64_t advances, progressed;
    int64_t run_ns,
        endgame_ns; /* of complete runs, summed over ranks: from begin, from the rank's own end, to the end */
    int64_t blocked_ns;
    size_t block_count; /* dearest first */
    struct wm_conveyor_block *blocks;
    uint64_t watched, arrived; /* items; those whose whole way is in the trace */
    uint64_t strayed;          /* the others: let go where two met, or not in the trace */
    struct wm_spread item_ns, hop_item_ns[WM_TRACE_HOPS_MAX], relay_item_ns[WM_TRACE_HOPS_MAX];
    int64_t residual_ns; /* the greatest |age at the last arrival - sum of hops and relays| */
    uint64_t violations; /* chunks that came before they were sent: the clocks disagree */
    int64_t violation_max_ns;
};

struct wm_conveyor_table {
    size_t count;
    struct wm_conveyor_totals *conveyors;
    uint64_t unknown; /* records that no definition explains */
};

/* Of the whole trace, which must live as long. Time O(n log n) in its records of conveyors. 0 or -WM_ENOMEM; *conveyors
 * is the caller's (wm_conveyor_table_free) or NULL. */
int wm_conveyor_table_make(struct wm_conveyor_table **conveyors, struct wm_trace *trace);
void wm_conveyor_table_free(struct wm_conveyor_table *conveyors);

#endif
