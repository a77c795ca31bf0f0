/* Teams of a deal: the communicators on which they make its operation. */
#ifndef WM_COMMUNICATE_TEAM_H
#define WM_COMMUNICATE_TEAM_H

#include "core/communicate/turn.h"

/* Count a blocking call of an operation of teams; when there were WM_TEAM_CALLS, make the communicator of this rank's
 * team: then collective over the team. All ranks count alike. */
void wm_team_call(const struct wm_turn *turn);
/* Free the communicator, and count anew. */
void wm_team_leave(struct wm_deal *d);

#endif
