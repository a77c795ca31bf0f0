/* Communicators: made, asked, freed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/subrank/collective.h"
#include "core/subrank/crossing.h"
#include "core/subrank/inter.h"
#include "core/subrank/record.h"

/* ---- one rank's ---- */

static struct wm_p2p_comm *messages_new(struct wm_rank *rank, const struct wm_rank_comm *c, int32_t context)
{
    return wm_p2p_comm_new(rank->process, context, c->self, c->size, c->group->ranks);
}

struct wm_rank_comm *wm_rank_comm_new(struct wm_rank *rank, struct wm_rank_group *group, int32_t context)
{
    struct wm_rank_comm *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->rank = rank;
    c->group = group;
    c->self = wm_rank_group_find(group, rank->number);
    c->size = group->size;
    c->context = context;
    c->handler = MPI_ERRORS_ARE_FATAL;
    c->info = MPI_INFO_NULL;
    if ((c->messages = messages_new(rank, c, context)) == NULL) {
        free(c);
        return NULL;
    }
    group->users++;
    if (context >= rank->next_context)
        rank->next_context = (context / WM_RANK_CONTEXTS + 1) * WM_RANK_CONTEXTS;
    c->next = rank->comms;
    rank->comms = c;
    wm_rank_record_comm(c);
    return c;
}

void wm_rank_comm_name(struct wm_rank_comm *c, const char *name)
{
    snprintf(c->name, sizeof c->name, "%s", name);
    wm_rank_record_name(c);
}

static void unlink_comm(struct wm_rank_comm *c)
{
    struct wm_rank_comm **link = &c->rank->comms;

    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
}

void wm_rank_comm_free(struct wm_rank_comm *c)
{
    unlink_comm(c);
    if (c->object.place != NULL)
        wm_rank_handle_take(&c->object);
    wm_rank_plans_free(c->plans);
    wm_rank_inter_free(c->inter);
    wm_p2p_comm_free(c->messages);
    wm_rank_handler_leave(c->handler);
    if (c->info != MPI_INFO_NULL)
        PMPI_Info_free(&c->info);
    wm_rank_topology_free(c->topology);
    wm_rank_group_leave(c->group);
    free(c);
}

int wm_rank_comm_give(struct wm_rank_comm *c, MPI_Comm *handle)
{
    *handle = MPI_COMM_NULL;
    if (c == NULL)
        return MPI_SUCCESS;
    if (wm_rank_handle_give(&c->object, WM_RANK_COMM) < 0) {
        wm_rank_comm_free(c);
        return MPI_ERR_NO_MEM;
    }
    *handle = (MPI_Comm)c->object.place;
    return MPI_SUCCESS;
}

/* ---- agreement ---- */

/* A number above all contexts of the parent's ranks. Groups that one call makes have no rank in common, so they may
 * share it. */
int wm_rank_comm_make(struct wm_rank_comm *parent, struct wm_rank_group *group, struct wm_rank_group *remote,
                      struct wm_rank_comm **made)
{
    struct wm_rank *rank = parent->rank;
    int32_t context = rank->next_context;
    int error;

    *made = NULL;
    if (group != NULL && (parent->inter != NULL) != (remote != NULL))
        return MPI_ERR_COMM;
    error = wm_rank_largest(parent, &context);
    if (error != MPI_SUCCESS || group == NULL || wm_rank_group_find(group, rank->number) == MPI_UNDEFINED ||
        (remote != NULL && remote->size == 0))
        return error;
    *made = remote != NULL ? wm_rank_inter_new(rank, group, remote, context) : wm_rank_comm_new(rank, group, context);
    if (*made == NULL)
        return MPI_ERR_NO_MEM;
    wm_rank_handler_use(parent->handler);
    (*made)->handler = parent->handler;
    return MPI_SUCCESS;
}

struct part {
    int color, key, rank;
};

static int by_key(const void *left, const void *right)
{
    const struct part *a = left, *b = right;

    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : a->rank - b->rank;
}

/* Those of a group whose parts have the colour. Keeps not the parts' order. */
static struct wm_rank_group *pick(const struct wm_rank_group *of, struct part *parts, int color)
{
    struct wm_rank_group *g;
    int count = 0;

    for (int i = 0; i < of->size; i++)
        if (parts[i].color == color)
            parts[count++] = parts[i];
    qsort(parts, (size_t)count, sizeof *parts, by_key);
    if ((g = wm_rank_group_new(count)) != NULL)
        for (int i = 0; i < count; i++)
            g->ranks[i] = of->ranks[parts[i].rank];
    return g;
}

/* Everybody's of the own group, or of the remote one. */
static int exchange_parts(struct wm_rank_comm *c, bool remote, const struct part *mine, struct part *parts)
{
    const struct wm_call call = {.operation = WM_ALLGATHER,
                                 .send = mine,
                                 .receive = parts,
                                 .send_count = sizeof *mine,
                                 .receive_count = sizeof *mine,
                                 .send_type = MPI_BYTE,
                                 .receive_type = MPI_BYTE};

    if (remote)
        return wm_rank_cross(c, &call);
    if (c->inter == NULL)
        return wm_rank_exchange(c, mine, parts, sizeof *mine);
    wm_rank_calls_finish(c);
    return wm_rank_exchange(c->inter->own, mine, parts, sizeof *mine);
}

static int parts_of(struct wm_rank_comm *c, const struct wm_rank_group *of, const struct part *mine,
                    struct wm_rank_group **group)
{
    struct part *parts = malloc((size_t)of->size * sizeof *parts);
    int error = parts != NULL ? exchange_parts(c, of != c->group, mine, parts) : MPI_ERR_NO_MEM;

    if (error == MPI_SUCCESS && mine->color != MPI_UNDEFINED && (*group = pick(of, parts, mine->color)) == NULL)
        error = MPI_ERR_NO_MEM;
    free(parts);
    return error;
}

int wm_rank_comm_parts(struct wm_rank_comm *parent, int color, int key, struct wm_rank_group **group,
                       struct wm_rank_group **remote)
{
    const struct part mine = {color, key, parent->self};
    int error;

    *group = *remote = NULL;
    error = parts_of(parent, parent->group, &mine, group);
    return error == MPI_SUCCESS && parent->inter != NULL ? parts_of(parent, parent->inter->remote, &mine, remote)
                                                         : error;
}

/* ---- doors that make one ---- */

#define ENTER()                                                                                                        \
    WM_RANK_ENTER(__func__);                                                                                           \
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm)
#define RETURN(error) return wm_rank_return(rank, c, __func__, error)

/* Give what was made, unless something went wrong. */
static int give(int error, struct wm_rank_comm *made, MPI_Comm *handle)
{
    if (error == MPI_SUCCESS)
        return wm_rank_comm_give(made, handle);
    *handle = MPI_COMM_NULL;
    if (made != NULL)
        wm_rank_comm_free(made);
    return error;
}

static int duplicate(struct wm_rank_comm *c, MPI_Info info, MPI_Comm *handle)
{
    struct wm_rank_comm *made = NULL;
    struct wm_rank_group *remote = c != NULL && c->inter != NULL ? c->inter->remote : NULL;
    int error = c != NULL ? wm_rank_comm_make(c, c->group, remote, &made) : MPI_ERR_COMM;

    if (error == MPI_SUCCESS && c->topology != NULL && (made->topology = wm_rank_topology_copy(c->topology)) == NULL)
        error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS && info != MPI_INFO_NULL)
        error = PMPI_Info_dup(info, &made->info);
    if (error == MPI_SUCCESS)
        error = wm_rank_attributes_copy(c, made);
    return give(error, made, handle);
}

WM_RANK_DOOR int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    ENTER();
    RETURN(duplicate(c, c != NULL ? c->info : MPI_INFO_NULL, newcomm));
}

WM_RANK_DOOR int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    ENTER();
    RETURN(duplicate(c, info, newcomm));
}

static int split(struct wm_rank_comm *c, int color, int key, MPI_Comm *handle)
{
    struct wm_rank_comm *made = NULL;
    struct wm_rank_group *group = NULL, *remote = NULL;
    int error = c == NULL ? MPI_ERR_COMM : color < 0 && color != MPI_UNDEFINED ? MPI_ERR_ARG : MPI_SUCCESS;

    if (error == MPI_SUCCESS)
        error = wm_rank_comm_parts(c, color, key, &group, &remote);
    if (error == MPI_SUCCESS)
        error = wm_rank_comm_make(c, group, remote, &made);
    wm_rank_group_leave(group);
    wm_rank_group_leave(remote);
    return give(error, made, handle);
}

WM_RANK_DOOR int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    ENTER();
    RETURN(split(c, color, key, newcomm));
}

WM_RANK_DOOR int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    ENTER();

    (void)info;
    if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
        RETURN(MPI_ERR_ARG);
    RETURN(
        split(c, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : wm_world.places[wm_world.process].node, key, newcomm));
}

WM_RANK_DOOR int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    ENTER();
    struct wm_rank_group *g = wm_rank_group_of(group);
    struct wm_rank_comm *made = NULL;
    int error, place;

    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    if (g == NULL)
        RETURN(MPI_ERR_GROUP);
    place = wm_rank_group_find(g, rank->number);
    if (c->inter != NULL)
        RETURN(split(c, place != MPI_UNDEFINED ? 0 : MPI_UNDEFINED, place, newcomm));
    error = wm_rank_comm_make(c, g, NULL, &made);
    RETURN(give(error, made, newcomm));
}

/* The group's ranks agree in a communicator that lasts as long as this call, in a context that the parent has for it.
 */
static int create_of_group(struct wm_rank_comm *c, struct wm_rank_group *g, MPI_Comm *handle)
{
    struct wm_rank_comm *meeting, *made = NULL;
    int error;

    *handle = MPI_COMM_NULL;
    if (wm_rank_group_find(g, c->rank->number) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    if ((meeting = wm_rank_comm_new(c->rank, g, c->context + 1)) == NULL)
        return MPI_ERR_NO_MEM;
    error = wm_rank_comm_make(meeting, g, NULL, &made);
    if (made != NULL) {
        wm_rank_handler_leave(made->handler);
        wm_rank_handler_use(c->handler);
        made->handler = c->handler;
    }
    wm_rank_comm_free(meeting);
    return give(error, made, handle);
}

WM_RANK_DOOR int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    ENTER();
    struct wm_rank_group *g = wm_rank_group_of(group);

    (void)tag; /* a rank is in one such call at a time, and its messages to each peer come in order */
    if (c == NULL || c->inter != NULL)
        RETURN(MPI_ERR_COMM);
    RETURN(g != NULL ? create_of_group(c, g, newcomm) : MPI_ERR_GROUP);
}

/* ---- doors that end one ---- */

static int let_go(struct wm_rank *rank, MPI_Comm *comm, const char *function)
{
    struct wm_rank_comm *c = wm_rank_comm_of(rank, *comm);
    int error = c == NULL || c == rank->world || c == rank->alone ? MPI_ERR_COMM : wm_rank_attributes_delete(c);

    if (error == MPI_SUCCESS) {
        wm_rank_calls_finish(c);
        wm_rank_comm_free(c);
        *comm = MPI_COMM_NULL;
    }
    return wm_rank_return(rank, error == MPI_ERR_COMM ? NULL : c, function, error);
}

WM_RANK_DOOR int MPI_Comm_free(MPI_Comm *comm)
{
    WM_RANK_ENTER(__func__);

    return let_go(rank, comm, __func__);
}

WM_RANK_DOOR int MPI_Comm_disconnect(MPI_Comm *comm)
{
    WM_RANK_ENTER(__func__);

    return let_go(rank, comm, __func__);
}

/* ---- questions ---- */

WM_RANK_DOOR int MPI_Comm_size(MPI_Comm comm, int *size)
{
    ENTER();

    if (c != NULL)
        *size = c->size;
    RETURN(c != NULL ? MPI_SUCCESS : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Comm_rank(MPI_Comm comm, int *self)
{
    ENTER();

    if (c != NULL)
        *self = c->self;
    RETURN(c != NULL ? MPI_SUCCESS : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    ENTER();

    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    c->group->users++;
    RETURN(wm_rank_group_give(c->group, group));
}

/* How their groups compare, own and remote ones. */
static int compare_groups(const struct wm_rank_comm *a, const struct wm_rank_comm *b)
{
    int own = wm_rank_group_compare(a->group, b->group), remote = MPI_IDENT;

    if ((a->inter != NULL) != (b->inter != NULL))
        return MPI_UNEQUAL;
    if (a->inter != NULL)
        remote = wm_rank_group_compare(a->inter->remote, b->inter->remote);
    if (own == MPI_UNEQUAL || remote == MPI_UNEQUAL)
        return MPI_UNEQUAL;
    return own == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

WM_RANK_DOOR int MPI_Comm_compare(MPI_Comm comm, MPI_Comm comm2, int *result)
{
    ENTER();
    const struct wm_rank_comm *other = wm_rank_comm_of(rank, comm2);

    if (c == NULL || other == NULL)
        RETURN(MPI_ERR_COMM);
    *result = c == other ? MPI_IDENT : compare_groups(c, other);
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_get_parent(MPI_Comm *parent)
{
    WM_RANK_ENTER(__func__);

    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    ENTER();

    if (c != NULL)
        wm_rank_comm_name(c, name);
    RETURN(c != NULL ? MPI_SUCCESS : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    ENTER();

    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    *length = (int)strlen(c->name);
    memcpy(name, c->name, (size_t)*length + 1);
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    ENTER();

    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    if (c->info != MPI_INFO_NULL)
        PMPI_Info_free(&c->info);
    RETURN(info != MPI_INFO_NULL ? PMPI_Info_dup(info, &c->info) : MPI_SUCCESS);
}

WM_RANK_DOOR int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    ENTER();

    if (c == NULL)
        RETURN(MPI_ERR_COMM);
    RETURN(c->info != MPI_INFO_NULL ? PMPI_Info_dup(c->info, info) : PMPI_Info_create(info));
}

WM_RANK_DOOR MPI_Fint MPI_Comm_c2f(MPI_Comm comm)
{
    return wm_rank_object_of(comm, WM_RANK_COMM) != NULL ? WM_RANK_FIRST_NUMBER + (MPI_Fint)wm_rank_handle_index(comm)
                                                         : PMPI_Comm_c2f(comm);
}

WM_RANK_DOOR MPI_Comm MPI_Comm_f2c(MPI_Fint comm)
{
    return comm >= WM_RANK_FIRST_NUMBER ? (MPI_Comm)&wm_rank_handles.places[comm - WM_RANK_FIRST_NUMBER]
                                        : PMPI_Comm_f2c(comm);
}
