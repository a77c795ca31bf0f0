/* A set of ranks: ranges in rank order, with ranks that are not in it between them. Those of a node, or of
 * neighbouring nodes, are one. */
#ifndef WM_RANK_SET_H
#define WM_RANK_SET_H

/* Both included. */
struct wm_rank_range {
    int low, high;
};

struct wm_rank_set {
    int count, room;
    struct wm_rank_range *ranges; /* the caller's, of so much room */
};

/* Put the ranks low … high into the set, which has room for one range more. */
void wm_rank_set_add(struct wm_rank_set *set, int low, int high);

#endif
