/* Communicators: made and freed. */
#include <stdio.h>
#include <stdlib.h>
#include "core/p2p/process.h"
#include "core/process/map_source.h"
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
    if ((c->messages = messages_new(rank, c, context)) == NULL) {
        free(c);
        return NULL;
    }
    group->users++;
    if (context >= rank->next_context && context < WM_RANK_GIVEN_CONTEXTS)
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

void wm_rank_comm_settle(struct wm_rank_comm *c, int32_t context)
{
    c->context = c->messages->context = context;
    if (c->inter == NULL)
        return;
    c->inter->messages->context = context + 1;
    wm_rank_comm_settle(c->inter->own, context + WM_RANK_CONTEXTS);
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

static void inherit_handler(const struct wm_rank_comm *parent, struct wm_rank_comm *made)
{
    wm_rank_handler_use(parent->handler);
    made->handler = parent->handler;
}

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
    inherit_handler(parent, *made);
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

/* What it has beside its ranks. */
static int copy_rest(const struct wm_rank_comm *c, struct wm_rank_comm *made)
{
    if (c->topology != NULL && (made->topology = wm_rank_topology_copy(c->topology)) == NULL)
        return MPI_ERR_NO_MEM;
    return wm_rank_attributes_copy(c, made);
}

static int duplicate(struct wm_rank_comm *c, MPI_Comm *handle)
{
    struct wm_rank_comm *made = NULL;
    struct wm_rank_group *remote = c != NULL && c->inter != NULL ? c->inter->remote : NULL;
    int error = c != NULL ? wm_rank_comm_make(c, c->group, remote, &made) : MPI_ERR_COMM;

    if (error == MPI_SUCCESS)
        error = copy_rest(c, made);
    return give(error, made, handle);
}

/* ---- a copy that is made later ---- */

/* Until its context is known. */
enum { NO_CONTEXT = -2 * WM_RANK_CONTEXTS };

struct later {
    struct wm_rank_comm *made;
    struct wm_rank_numbers contexts; /* that the first rank of each group gives; 0: of others */
};

static int32_t give_context(struct wm_rank *rank)
{
    const int64_t each = 2 * WM_RANK_CONTEXTS;
    int64_t context =
        WM_RANK_GIVEN_CONTEXTS + each * ((int64_t)wm_world.all->size * rank->given_count++ + rank->number);

    if (context + each > INT32_MAX)
        wm_rank_end(rank, "MPI_Comm_idup", "there are no more numbers for communicators; call MPI_Comm_dup");
    return (int32_t)context;
}

static void settle(void *with)
{
    struct later *later = with;
    const struct wm_rank_numbers *n = &later->contexts;

    wm_rank_comm_settle(later->made, n->own[0] > n->remote[0] ? n->own[0] : n->remote[0]);
    free(later);
}

static int duplicate_later(struct wm_rank_comm *c, MPI_Comm *handle, struct wm_p2p_request **request)
{
    struct later *later = calloc(1, sizeof *later);
    struct wm_rank_comm *made = c->inter != NULL ? wm_rank_inter_new(c->rank, c->group, c->inter->remote, NO_CONTEXT)
                                                 : wm_rank_comm_new(c->rank, c->group, NO_CONTEXT);
    int error = later != NULL && made != NULL ? copy_rest(c, made) : MPI_ERR_NO_MEM;

    if (error == MPI_SUCCESS) {
        inherit_handler(c, made);
        *later = (struct later){.made = made, .contexts.own = {c->self == 0 ? give_context(c->rank) : 0}};
        error = wm_rank_numbers_begin(c, &later->contexts, settle, later, request);
    }
    if (error != MPI_SUCCESS)
        free(later);
    return give(error, made, handle);
}

WM_RANK_DOOR int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    ENTER();

    *newcomm = MPI_COMM_NULL;
    *request = MPI_REQUEST_NULL;
    RETURN(c != NULL ? duplicate_later(c, newcomm, (struct wm_p2p_request **)(void *)request) : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    ENTER();
    RETURN(duplicate(c, newcomm));
}

/* Once a process: its subranks have one map. */
static void say_what_names_no_map(MPI_Info info)
{
    static bool said;
    char name[WM_MAP_SOURCE_NAME_CHARS];
    int names_one = 0;

    if (info != MPI_INFO_NULL && !said)
        PMPI_Info_get(info, WM_MAP_SOURCE_KEY, sizeof name - 1, name, &names_one);
    if (!names_one)
        return;
    said = true;
    fprintf(stderr,
            "waymark: the info key '%s' has no effect on subranks, whose communicators all go by the job's map; there, "
            "tell them apart by rules that look at `communicator`, its name\n",
            WM_MAP_SOURCE_KEY);
}

WM_RANK_DOOR int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    ENTER();
    if (c != NULL && c->self == 0)
        say_what_names_no_map(info);
    RETURN(duplicate(c, newcomm));
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

/* The group's ranks agree up and down a binomial tree, by messages in a context that the parent has for it: they have
 * the parent's ranks, since other groups, too, may agree in it at the time. */
static int agree_in_group(const struct wm_rank_comm *c, const struct wm_rank_group *g, int tag, int32_t *context)
{
    struct wm_p2p_comm *messages = wm_p2p_comm_new(c->rank->process, c->context + 2, c->self, c->size, c->group->ranks);
    int self = wm_rank_group_find(g, c->rank->number), error = messages != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM, step;
    int32_t other;

    for (step = 1; step < g->size && (self & step) == 0 && error == MPI_SUCCESS; step *= 2) {
        if (self + step >= g->size)
            continue;
        error = wm_p2p_recv(&other, 1, MPI_INT32_T, wm_rank_group_find(c->group, g->ranks[self + step]), tag, messages,
                            MPI_STATUS_IGNORE);
        *context = other > *context ? other : *context;
    }
    if (self > 0 && error == MPI_SUCCESS)
        error = wm_p2p_sendrecv_replace(context, 1, MPI_INT32_T, wm_rank_group_find(c->group, g->ranks[self - step]),
                                        tag, wm_rank_group_find(c->group, g->ranks[self - step]), tag, messages,
                                        MPI_STATUS_IGNORE);
    for (step /= 2; step > 0 && error == MPI_SUCCESS; step /= 2)
        if (self + step < g->size)
            error = wm_p2p_send(WM_P2P_STANDARD, context, 1, MPI_INT32_T,
                                wm_rank_group_find(c->group, g->ranks[self + step]), tag, messages);
    wm_p2p_comm_free(messages);
    return error;
}

static int create_of_group(struct wm_rank_comm *c, struct wm_rank_group *g, int tag, MPI_Comm *handle)
{
    int32_t context = c->rank->next_context;
    struct wm_rank_comm *made = NULL;
    int error;

    *handle = MPI_COMM_NULL;
    if (wm_rank_group_find(g, c->rank->number) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    error = agree_in_group(c, g, tag, &context);
    if (error == MPI_SUCCESS && (made = wm_rank_comm_new(c->rank, g, context)) == NULL)
        error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS)
        inherit_handler(c, made);
    return give(error, made, handle);
}

WM_RANK_DOOR int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    ENTER();
    struct wm_rank_group *g = wm_rank_group_of(group);

    if (c == NULL || c->inter != NULL)
        RETURN(MPI_ERR_COMM);
    RETURN(g != NULL ? create_of_group(c, g, tag, newcomm) : MPI_ERR_GROUP);
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
