/* Seeds: what the next endpoints of a kin will be made of at this rank, and the others must be told: numbers
 * (core/net/net.h), and areas of the node's memory, taken by the first of the node's ranks. All bytes zero: there is
 * none. */
#ifndef WM_SEED_H
#define WM_SEED_H

#include <stdint.h>
#include "core/node/node.h"

/* For so many endpoints: number + i and the i-th area, counted along their chain (core/node/node.h), are the i-th's. */
struct wm_seed {
    int count, number;
    uint64_t area; /* 0: another rank takes them, or there is no memory */
};

/* What a rank tells of its seed, 0 of none. */
typedef uint64_t wm_seed_word;

enum { WM_SEEDS_MAX = 32 };

/* Make one for up to `count` endpoints, below WM_SEEDS_MAX; with none where numbers have run out. `node`: of the ranks,
 * without memory of its own; each area is to have room for parts of so many bytes. */
void wm_seed_make(struct wm_seed *seed, const struct wm_node *node, uint64_t area_bytes, int count);

/* Give back what is not for the first `count` endpoints; 0: all. */
void wm_seed_cut(struct wm_seed *seed, int count);

wm_seed_word wm_seed_tell(const struct wm_seed *seed);

/* What another rank's word says. */
struct wm_seed wm_seed_hear(wm_seed_word word);

#endif
