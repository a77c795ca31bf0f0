/* Intercommunicators: made, merged, asked. */
#include "core/subrank/inter.h"
#include <stdlib.h>
#include <string.h>
#include "core/p2p/process.h"
#include "core/subrank/collective.h"
#include "core/subrank/crossing.h"

/* ---- one rank's ---- */

static struct wm_p2p_comm *messages_to(const struct wm_rank_comm *c, const struct wm_rank_group *remote,
                                       int32_t context)
{
    return wm_p2p_comm_new(c->rank->process, context, c->self, remote->size, remote->ranks);
}

static bool make_parts(struct wm_rank_comm *c, struct wm_rank_group *remote, struct wm_rank_comm *own)
{
    struct wm_p2p_comm *messages = messages_to(c, remote, c->context);
    struct wm_rank_inter *inter = calloc(1, sizeof *inter);

    if (inter != NULL)
        inter->messages = messages_to(c, remote, c->context + 1);
    if (messages == NULL || inter == NULL || inter->messages == NULL) {
        free(messages);
        free(inter);
        return false;
    }
    wm_p2p_comm_free(c->messages);
    c->messages = messages;
    c->inter = inter;
    inter->messages->apart = true;
    inter->own = own;
    inter->remote = remote;
    remote->users++;
    return true;
}

/* The own one comes first, so that the rank's list has it behind. */
struct wm_rank_comm *wm_rank_inter_new(struct wm_rank *rank, struct wm_rank_group *group, struct wm_rank_group *remote,
                                       int32_t context)
{
    struct wm_rank_comm *own = wm_rank_comm_new(rank, group, context + WM_RANK_CONTEXTS), *c = NULL;

    if (own != NULL)
        c = wm_rank_comm_new(rank, group, context);
    if (c != NULL && make_parts(c, remote, own))
        return c;
    if (c != NULL)
        wm_rank_comm_free(c);
    if (own != NULL)
        wm_rank_comm_free(own);
    return NULL;
}

void wm_rank_inter_free(struct wm_rank_inter *inter)
{
    if (inter == NULL)
        return;
    wm_rank_comm_free(inter->own);
    wm_p2p_comm_free(inter->messages);
    wm_rank_group_leave(inter->remote);
    free(inter);
}

/* ---- doors ---- */

#define ENTER()                                                                                                        \
    WM_RANK_ENTER(__func__);                                                                                           \
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm)
#define RETURN(error) return wm_rank_return(rank, c, __func__, error)

/* What the first ranks tell each other, and then their groups. */
struct head {
    int32_t error, context, size;
};

static bool overlaps(const struct wm_rank_group *a, const struct wm_rank_group *b)
{
    for (int i = 0; i < a->size; i++)
        if (wm_rank_group_find(b, a->ranks[i]) != MPI_UNDEFINED)
            return true;
    return false;
}

/* The leaders exchange what they know, by messages of the user's, as MPI has it. */
static int meet(const struct wm_rank_comm *own, struct wm_p2p_comm *peers, int peer, int tag, struct head *head,
                struct wm_rank_group **remote)
{
    const struct head mine = *head;
    int error = wm_p2p_sendrecv(&mine, sizeof mine, MPI_BYTE, peer, tag, head, sizeof *head, MPI_BYTE, peer, tag, peers,
                                MPI_STATUS_IGNORE);

    if (error != MPI_SUCCESS)
        return error;
    if (mine.context > head->context)
        head->context = mine.context;
    if ((*remote = wm_rank_group_new(head->size)) == NULL)
        return MPI_ERR_NO_MEM;
    error = wm_p2p_sendrecv(own->group->ranks, own->size, MPI_INT, peer, tag, (*remote)->ranks, head->size, MPI_INT,
                            peer, tag, peers, MPI_STATUS_IGNORE);
    return error == MPI_SUCCESS && overlaps(own->group, *remote) ? MPI_ERR_COMM : error;
}

/* The leader tells its group, also that it has failed. */
static int tell_group(struct wm_rank_comm *own, int leader, struct head *head, struct wm_rank_group **remote)
{
    int error = wm_rank_tell(own, head, sizeof *head, leader);

    if (error == MPI_SUCCESS)
        error = head->error;
    if (error == MPI_SUCCESS && *remote == NULL && (*remote = wm_rank_group_new(head->size)) == NULL)
        error = MPI_ERR_NO_MEM;
    return error == MPI_SUCCESS
               ? wm_rank_tell(own, (*remote)->ranks, (size_t)head->size * sizeof(*remote)->ranks[0], leader)
               : error;
}

static int create(struct wm_rank_comm *own, int leader, struct wm_p2p_comm *peers, int peer, int tag,
                  struct wm_rank_comm **made)
{
    struct head head = {.context = own->rank->next_context, .size = own->size};
    struct wm_rank_group *remote = NULL;
    int error;

    if (own->inter != NULL)
        return MPI_ERR_COMM;
    if (leader < 0 || leader >= own->size)
        return MPI_ERR_RANK;
    error = wm_rank_largest(own, &head.context);
    if (error == MPI_SUCCESS && own->self == leader)
        head.error = meet(own, peers, peer, tag, &head, &remote);
    if (error == MPI_SUCCESS)
        error = tell_group(own, leader, &head, &remote);
    if (error == MPI_SUCCESS && (*made = wm_rank_inter_new(own->rank, own->group, remote, head.context)) == NULL)
        error = MPI_ERR_NO_MEM;
    wm_rank_group_leave(remote);
    return error;
}

static int give(const struct wm_rank_comm *parent, int error, struct wm_rank_comm *made, MPI_Comm *handle)
{
    *handle = MPI_COMM_NULL;
    if (error != MPI_SUCCESS)
        return error;
    wm_rank_handler_use(parent->handler);
    made->handler = parent->handler;
    return wm_rank_comm_give(made, handle);
}

WM_RANK_DOOR int MPI_Intercomm_create(MPI_Comm comm, int local_leader, MPI_Comm bridge_comm, int remote_leader, int tag,
                                      MPI_Comm *newintercomm)
{
    ENTER();
    struct wm_p2p_comm *peers = wm_rank_messages_of(wm_rank_comm_of(rank, bridge_comm));
    struct wm_rank_comm *made = NULL;
    int error = c != NULL ? create(c, local_leader, peers, remote_leader, tag, &made) : MPI_ERR_COMM;

    RETURN(give(c, error, made, newintercomm));
}

/* The group that says low comes first; where both say the same, that of the lower first rank. */
static struct wm_rank_group *merge_groups(const struct wm_rank_comm *c, bool high, bool remote_is_high)
{
    const struct wm_rank_group *own = c->group, *remote = c->inter->remote;
    bool first = high != remote_is_high ? !high : own->ranks[0] < remote->ranks[0];
    const struct wm_rank_group *low = first ? own : remote, *rest = first ? remote : own;
    struct wm_rank_group *all = wm_rank_group_new(own->size + remote->size);

    if (all == NULL)
        return NULL;
    memcpy(all->ranks, low->ranks, (size_t)low->size * sizeof all->ranks[0]);
    memcpy(all->ranks + low->size, rest->ranks, (size_t)rest->size * sizeof all->ranks[0]);
    return all;
}

static int merge(struct wm_rank_comm *c, bool high, struct wm_rank_comm **made)
{
    struct wm_rank_numbers n = {.own = {c->rank->next_context, high}};
    int error = wm_rank_numbers(c, &n);
    struct wm_rank_group *all;

    if (error != MPI_SUCCESS)
        return error;
    if ((all = merge_groups(c, high, n.remote[1] != 0)) == NULL)
        return MPI_ERR_NO_MEM;
    *made = wm_rank_comm_new(c->rank, all, n.own[0] > n.remote[0] ? n.own[0] : n.remote[0]);
    wm_rank_group_leave(all);
    return *made != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

WM_RANK_DOOR int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *newintracomm)
{
    ENTER();
    struct wm_rank_comm *made = NULL;
    int error = c != NULL && c->inter != NULL ? merge(c, high != 0, &made) : MPI_ERR_COMM;

    RETURN(give(c, error, made, newintracomm));
}

WM_RANK_DOOR int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    ENTER();

    *flag = c != NULL && c->inter != NULL;
    RETURN(c != NULL ? MPI_SUCCESS : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    ENTER();

    if (c == NULL || c->inter == NULL)
        RETURN(MPI_ERR_COMM);
    *size = c->inter->remote->size;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    ENTER();

    if (c == NULL || c->inter == NULL)
        RETURN(MPI_ERR_COMM);
    c->inter->remote->users++;
    RETURN(wm_rank_group_give(c->inter->remote, group));
}
