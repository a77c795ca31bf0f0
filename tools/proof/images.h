/* Images: is a rank's plan what a displacement makes of its representative's? The steps are the same one by one, but
 * for copies: those that follow each other may stand in another order; where it does not matter where data stands, any
 * may that wait for the same. Blocks of a temporary that goes with the ranks may come to one that stays, as those of a
 * user's buffer do. Where messages alone are alike (symmetry->apart), these are the same one by one, wait for
 * each other alone, and are sent from the user's buffer; what ranks do besides is copies and reductions. Pure. */
#ifndef WM_PROOF_IMAGES_H
#define WM_PROOF_IMAGES_H

#include "tools/proof/symmetry.h"

/* What a temporary may be, as far as was seen: its units go with the data, in the path's order or that of ranks, or
 * stay. */
enum { WM_MAY_GO = 1, WM_MAY_RANK = 2, WM_MAY_STAY = 4, WM_MAY_ALL = WM_MAY_GO | WM_MAY_RANK | WM_MAY_STAY };

/* The space of a temporary that is this alone. */
enum wm_space wm_image_space(enum wm_operation operation, int may);

struct wm_imaging {
    const struct wm_symmetry *symmetry;
    const struct wm_scenario *scenario;
    uint8_t *may; /* by temporary of the representative; narrowed down. NULL: where data stands does not matter */
    int displacement;
    const struct wm_plan *from, *to; /* the representative's, and the other */
    int *order;                      /* order[step of `from`]: its image */
};

/* The rank that is to be compared as the n-th, from 0: of few ranks each that is no representative, else one image of
 * each representative, then any; `steps`: those of all that were. -1: it is enough. */
int wm_image_sample(const struct wm_symmetry *symmetry, int n, size_t steps, uint64_t *random);

/* True; else the first step of `from` that has no image in *step, -1: the plans differ as a whole. */
bool wm_image_check(struct wm_imaging *imaging, struct wm_arena *arena, int *step);

#endif
