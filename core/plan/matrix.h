/* The matrix: which blocks a rank holds while every rank has a block for every other, and where each of them stands.
 *
 * A block goes from its origin to its destination. A rank begins with its own row (one origin, all destinations) and
 * ends with its own column (all origins, one destination); in between it holds the blocks from some origins to some
 * destinations. What goes from one rank to another at once is a bundle, or several: both ends list the blocks of a
 * bundle origin by origin, each by destination, in the order of ranks, which is that of the user's buffers. Blocks of
 * no units vanish, and a message of nothing but them.
 *
 * A message whose blocks stand in one range, in order, is sent from there, and one whose blocks belong into one range
 * of the receive buffer, in order, is received there. Any other is packed into a temporary, or stays in the one into
 * which it came, until its blocks go on or are delivered. No temporary is used twice. Blocks at even distances that go
 * round the ring of ranks are packed in one step at every rank, wherever they begin: ranks' plans are alike. */
#ifndef WM_MATRIX_H
#define WM_MATRIX_H

#include "core/plan/planner.h"

/* Ranks in ascending order. The list lives as long as the planner. */
struct wm_ranks {
    int count;
    int *list;
};

/* The blocks from each of `origins` to each of `destinations`. */
struct wm_bundle {
    struct wm_ranks origins, destinations;
};

struct wm_matrix {
    struct wm_bundle blocks;
    struct wm_ref *at; /* at[o * blocks.destinations.count + d]: means nothing for a block of no units */
};

/* Start with this rank's row, and end: bring its column to the receive buffer. */
void wm_matrix_begin(struct wm_planner *planner);
void wm_matrix_deliver(struct wm_planner *planner);

/* What this rank holds now; change it. */
const struct wm_matrix *wm_matrix_get(const struct wm_planner *planner);
void wm_matrix_set(struct wm_planner *planner, const struct wm_matrix *matrix);

/* The origins whose blocks a member holds on entering the stage. */
struct wm_ranks wm_matrix_origins(struct wm_planner *planner, const struct wm_group *group, int member);
/* The destinations that a member stands for behind the stage's part in dealing them out. */
struct wm_ranks wm_matrix_destinations(struct wm_planner *planner, const struct wm_group *group, int member);
/* All ranks of `count` lists that have none in common. */
struct wm_ranks wm_ranks_unite(struct wm_planner *planner, const struct wm_ranks *lists, int count);
/* Every rank. */
struct wm_ranks wm_ranks_all(struct wm_planner *planner);

/* A matrix of these blocks, with the places of those that `from` has too. NULL after an error. */
struct wm_matrix *wm_matrix_new(struct wm_planner *planner, struct wm_bundle blocks, const struct wm_matrix *from);
/* The bundle stands at *at, packed: enter its places, and move *at behind it. */
void wm_matrix_put(struct wm_planner *planner, struct wm_matrix *matrix, const struct wm_bundle *bundle,
                   struct wm_ref *at);
/* Units of all its blocks. */
size_t wm_bundle_units(struct wm_planner *planner, const struct wm_bundle *bundle);

/* A message is put together bundle by bundle, from where the matrix says that they stand, or as ranges that stand
 * packed. wm_parcel_place packs it, if need be, and says where it stands; then another may begin. */
void wm_parcel_add(struct wm_planner *planner, const struct wm_matrix *matrix, const struct wm_bundle *bundle);
void wm_parcel_add_range(struct wm_planner *planner, struct wm_ref at, size_t units);
struct wm_ref wm_parcel_place(struct wm_planner *planner, size_t *units);
/* Where a message of these bundles shall come to stand. */
struct wm_ref wm_parcel_room(struct wm_planner *planner, const struct wm_bundle *bundles, int count, size_t *units);

#endif
