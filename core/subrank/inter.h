/* Intercommunicators: what they have beside what every communicator has, whose group, rank and size are those of the
 * own group, and whose messages go to the remote one. They have twice as many contexts. */
#ifndef WM_SUBRANK_INTER_H
#define WM_SUBRANK_INTER_H

#include "core/subrank/rank.h"

struct wm_rank_inter {
    struct wm_rank_group *remote;
    struct wm_rank_comm *own;          /* an intracommunicator of the own group, for its part of collectives */
    struct wm_p2p_comm *messages;      /* of collectives, to the remote group */
    struct wm_rank_crossing *crossing; /* the one whose turn it is (crossing.h); NULL: none is under way */
};

/* Make an intercommunicator: as wm_rank_comm_new, which uses the remote group once more, too. */
struct wm_rank_comm *wm_rank_inter_new(struct wm_rank *rank, struct wm_rank_group *group, struct wm_rank_group *remote,
                                       int32_t context);
void wm_rank_inter_free(struct wm_rank_inter *inter); /* NULL is allowed */

#endif
