/* Teams of a deal: the communicators on which they make its operation. */
#include "core/communicate/team.h"

#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/process/process.h"

/* Of the first ranks of the list. */
static MPI_Comm make_comm(const struct wm_talk *t, const int ranks[], int count)
{
    MPI_Group all, team;
    MPI_Comm comm;
    int rc;

    PMPI_Comm_group(t->own, &all);
    PMPI_Group_incl(all, count, ranks, &team);
    rc = PMPI_Comm_create_group(t->own, team, 0, &comm);
    PMPI_Group_free(&team);
    PMPI_Group_free(&all);
    return rc == MPI_SUCCESS ? comm : NULL;
}

static void make(const struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;
    int *ranks = wm_allocate(sizeof *ranks * (size_t)turn->talk->ranks, "a statement"), root = 0;
    int count = wm_traffic_team(&d->traffic, turn->bindings, ranks, &root);
    struct wm_error error = {0};

    if (count > 0 && (d->team = make_comm(turn->talk, ranks, count)) == NULL) {
        wm_error_set(&error, -WM_EMPI, "the MPI library gives no communicator for the ranks of a statement");
        wm_deal_abort(d, &error);
    }
    d->collective.root = root;
    free(ranks);
    free(d->at); /* places are found anew, for another way */
    d->at = NULL;
}

void wm_team_call(const struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;

    if (!turn->blocking || !d->collective.team || d->collective.operation == WM_OPERATION_COUNT ||
        d->team_calls == WM_TEAM_CALLS)
        return;
    if (++d->team_calls == WM_TEAM_CALLS)
        make(turn);
}

void wm_team_leave(struct wm_deal *d)
{
    if (d->team != NULL)
        MPI_Comm_free(&d->team); /* by its door, as its calls are */
    d->team = NULL;
    d->team_calls = 0;
}
