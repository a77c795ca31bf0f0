/* Questions about communicators, and their names and infos. */
#include <string.h>
#include "core/subrank/inter.h"

#define ENTER()                                                                                                        \
    WM_RANK_ENTER(__func__);                                                                                           \
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm)
#define RETURN(error) return wm_rank_return(rank, c, __func__, error)

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

/* Hints that are not known are ignored, and none are. */
WM_RANK_DOOR int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    ENTER();
    (void)info;
    RETURN(c != NULL ? MPI_SUCCESS : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    ENTER();
    RETURN(c != NULL ? PMPI_Info_create(info) : MPI_ERR_COMM);
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
