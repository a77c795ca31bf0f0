/* The layout of a path on a grid: for every stage, which ranks form its groups and who leads each.
 *
 * Stages are taken in the order in which data converges: first to last where data flows up or to everyone, last to
 * first where it flows down from a root. A fold leaves one leader per group for the stages that follow in that order; a
 * shard or a replicate keeps every member, each apart from the others. The group of a rank at a stage holds the ranks
 * that are still there and share its coordinates on the axes that tell them apart. Round-robin and ragged placements
 * need no special case; a shard or replicate that is not the last stage does need groups of equal sizes.
 * Pure; one layout serves all ranks. */
#ifndef WM_LAYOUT_H
#define WM_LAYOUT_H

#include <stdint.h>
#include "core/path/order.h"
#include "core/path/path.h"
#include "core/path/rank_set.h"

struct wm_stage_layout {
    int number; /* of the stage */
    int group_count;
    int *group; /* group[rank], -1: the rank takes no part in this stage */
    int *index; /* index[rank]: its number within the group, in the order of coordinates */
    int *first; /* members[first[g]] … members[first[g + 1] - 1] are the ranks of group g */
    int *members;
    int *leader; /* leader[g]: index, within the group, of the member that goes on, has, or receives the data */
    bool *live;  /* live[g]: data of a scatter comes here, that of a gather is wanted, a scan has ranks before it */
    struct wm_rank_set *sets;     /* sets[rank]: whose contributions a rank holds on entering; NULL if nobody asked */
    struct wm_rank_range *ranges; /* of all sets: ranks of a group of the stage before share theirs */
    int *joined; /* joined[i]: the sets of members[i] … members[joined[i]] follow each other, each of them one range */
};

struct wm_layout {
    int ranks, stage_count;
    int *node;  /* node[rank], the grid's */
    int *apart; /* apart[rank]: where the path has a `delay`, the group on its axis (core/path/lag.h); else NULL */
    struct wm_stage_layout stages[WM_PATH_STAGES_MAX];
    struct wm_order *order; /* where ranks have blocks of their own, else NULL */
};

/* Lay `path` out for `root` (ignored where the operation has none). `sets`: keep account of contributions, as the plans
 * of a non-commutative operator need. Returns 0, -WM_ENOMEM, or -WM_EPATH with the place in the map: a ragged grid
 * under a stage that needs a uniform one, a scan over groups of ranks that do not follow each other, an explicit tree
 * for another number of members, or shared memory asked for in a group that joins ranks of different nodes, or between
 * which a `delay` holds messages. */
int wm_layout_new(struct wm_layout **layout, const struct wm_path *path, const struct wm_grid *grid, int root,
                  bool sets, struct wm_error *error);
void wm_layout_free(struct wm_layout *layout);

#endif
