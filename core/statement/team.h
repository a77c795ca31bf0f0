/* Teams: the ranks among which a statement is a collective operation: all of them, a part, or several parts that have
 * no rank in common, as the rows of a grid.
 *
 * A rank's **role** is what its own lists say: it is the one of a team that sends to others, or receives of them (its
 * **leader**); it is one of those others; it sends to and receives of the same ranks (their leader is the first); or it
 * is outside of all teams. Where both ends know of each message, roles that fit each other at their own ends fit at
 * all: what ranks rule out, united, decides, and no rank lists what others do. Who else is in its team a rank finds out
 * when it has to. */
#ifndef WM_STATEMENT_TEAM_H
#define WM_STATEMENT_TEAM_H

#include "core/statement/traffic.h"
#include "waymark/operation.h"

/* All ranks' roles, joined, as they are: `ruled_out` united, `sets` summed up. */
struct wm_roles {
    uint64_t ruled_out; /* operations, a bit each; and what is not so */
    uint64_t sets;      /* 0: those who send to and receive of the same ranks have all the same ranks in common */
    int leader;         /* of a rank; outside of teams, or where ranks have several, -1 */
};

/* The role of the traffic's rank. */
struct wm_roles wm_traffic_role(const struct wm_traffic *x);

/* The operation that it is if all ranks' roles are these, WM_OPERATION_COUNT: none. *team: its ranks, or their order,
 * are not those of the communicator. */
enum wm_operation wm_roles_operation(const struct wm_roles *roles, bool *team);

/* The ranks of the team of the traffic's rank, in the order of its blocks: a leader without a block is the last one.
 * Room for all ranks. Returns how many they are, 0 for a rank outside; *root is the leader's place. */
int wm_traffic_team(const struct wm_traffic *x, const struct wm_bound bindings[], int ranks[], int *root);

#endif
