/* Symmetry: permutations of the ranks under which a call is the same, and what they do to ranks, units and accounts.
 *
 * The group has an element for each displacement d, a multiple of `step` below `ranks`: a turn takes rank r to
 * (r + d) mod ranks, a flip takes it to r ^ d. Either takes every group of the grid to a group. So any `step` ranks
 * from a multiple of it on, ranks 0 … step-1 unless `first` is set, represent all: rank r is what a displacement makes
 * of the one of them that has its remainder.
 * Units go with the ranks: a space (a buffer, or the numbers of the data that is moved) is cut into parts of equal
 * size, and a displacement permutes these. What the parts are follows from the operation, and for data that is whole
 * from the stages, which cut it into shares one after the other.
 * An operator that does not commute knows where the ranks begin, so turns change what a rank does with what has come.
 * They leave messages as they are, where all of these carry what their senders brought: where messages wait for none
 * but messages, and read the user's buffer. Then it is no matter to a rank what others do between, nor does it matter
 * to messages; so any rank's results are known by carrying out its own block of ranks as representatives, the others'
 * messages being theirs, moved. Blocks are carried out one by one (tools/proof/prove.c), since none stands for
 * another's results: `apart`. Pure. */
#ifndef WM_PROOF_SYMMETRY_H
#define WM_PROOF_SYMMETRY_H

#include "core/path/layout.h"
#include "tools/proof/scenario.h"

enum wm_space {
    WM_SPACE_FIXED,  /* units stay: a block of the rank's own, temporaries */
    WM_SPACE_SHARES, /* the whole data, cut by the stages */
    WM_SPACE_BLOCKS, /* a block of each rank, in the order of ranks */
    WM_SPACE_PLACES, /* the same in the path's order (core/path/order.h) */
    WM_SPACE_SLOTS,  /* blocks scattered by a period (tools/proof/scenario.h), those of the last one first */
    WM_SPACE_PAIRS   /* a block for each pair of ranks: origins */
};

struct wm_symmetry {
    int ranks, step, first;
    bool flips;
    bool apart;                     /* messages alone are alike: the operator does not commute */
    int digit_count;                /* of shares, */
    int digits[WM_PATH_STAGES_MAX]; /* the first the most significant, */
    int stages[WM_PATH_STAGES_MAX]; /* and the stages that they are of */
    size_t each;                    /* units of a block, or of the whole data */
    int period;                     /* blocks that are a part: 1, or the period with which their sizes repeat, `step` */
    size_t sum, slot;               /* where they repeat: units of such a part, and of one that is scattered */
    size_t stride;                  /* origins of a pair */
    size_t closed[WM_SPACE_PAIRS];  /* by space: so many parts, from a multiple of that on, go to one another alone */
    const struct wm_layout *layout; /* of the path: the caller's */
};

/* Find the turns, or the flips, that leave the grid as it is, the group with the fewest representatives. False: there
 * is none but the identity, or the call is of a kind that has no symmetry: with a root, a scan, an operator that does
 * not commute (but in a reduce-scatter), a tree written out, a fault. Of blocks that differ the scenario becomes one in
 * which their sizes repeat.
 */
bool wm_symmetry_find(struct wm_symmetry *symmetry, const struct wm_path *path, const struct wm_grid *grid,
                      struct wm_scenario *scenario, bool flips, int least);
/* Say how the path is laid out: `layout` must outlive the symmetry. False: blocks that differ stand in an order that it
 * does not keep. */
bool wm_symmetry_lay(struct wm_symmetry *symmetry, const struct wm_path *path, const struct wm_layout *layout);
/* The next larger number of units that the path cuts into even shares; `each` itself where it cuts nothing. */
size_t wm_symmetry_round(const struct wm_symmetry *symmetry, enum wm_operation operation, size_t each);

/* What takes the representative of `rank` to it; its inverse; and what a displacement makes of a rank. */
int wm_symmetry_of(const struct wm_symmetry *symmetry, int rank);
int wm_symmetry_inverse(const struct wm_symmetry *symmetry, int displacement);
int wm_symmetry_image(const struct wm_symmetry *symmetry, int displacement, int rank);

/* Units of a part of the space; 0: it has none. */
size_t wm_symmetry_part(const struct wm_symmetry *symmetry, enum wm_space space);
/* What a displacement makes of a unit. */
size_t wm_symmetry_unit(const struct wm_symmetry *symmetry, enum wm_space space, int displacement, size_t unit);
/* The same of a range, in *image. False: it does not stay one range, unless it is the whole space, which goes to
 * itself. */
bool wm_symmetry_range(const struct wm_symmetry *symmetry, enum wm_space space, int displacement, size_t offset,
                       size_t count, size_t *image);
/* Are the range's parts moved among themselves, the range as a whole not? Wherever it stands, they are moved alike. */
bool wm_symmetry_permutes(const struct wm_symmetry *symmetry, enum wm_space space, size_t offset, size_t count);

/* The space of what is read in a send or receive buffer, or written; and of the origins. */
enum wm_space wm_symmetry_space(const struct wm_scenario *scenario, int buffer, bool writes);
enum wm_space wm_symmetry_origins(enum wm_operation operation);
/* What temporaries hold is of this space, whether they go with it or stay: the space of a temporary whose units do not
 * stay. */
enum wm_space wm_symmetry_home(enum wm_operation operation);

#endif
