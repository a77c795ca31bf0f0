/* Groups: lists of world ranks. All is local. */
#include <stdlib.h>
#include <string.h>
#include "core/subrank/rank.h"

struct wm_rank_group *wm_rank_group_new(int size)
{
    struct wm_rank_group *g = calloc(1, sizeof *g + (size_t)size * sizeof g->ranks[0]);

    if (g != NULL) {
        g->users = 1;
        g->size = size;
    }
    return g;
}

void wm_rank_group_leave(struct wm_rank_group *g)
{
    if (g != NULL && --g->users == 0)
        free(g);
}

/* A handle is an object of its own, since a group has several users, and each frees his. */
struct wm_rank_group_handle {
    struct wm_rank_object object;
    struct wm_rank_group *group;
};

static struct wm_rank_group nobody = {.users = 1};

struct wm_rank_group *wm_rank_group_of(MPI_Group handle)
{
    const struct wm_rank_group_handle *h;

    if (handle == MPI_GROUP_EMPTY)
        return &nobody;
    h = wm_rank_object_of(handle, WM_RANK_GROUP);
    return h != NULL ? h->group : NULL;
}

int wm_rank_group_find(const struct wm_rank_group *g, int number)
{
    for (int i = 0; i < g->size; i++)
        if (g->ranks[i] == number)
            return i;
    return MPI_UNDEFINED;
}

int wm_rank_group_compare(const struct wm_rank_group *a, const struct wm_rank_group *b)
{
    if (a->size != b->size)
        return MPI_UNEQUAL;
    if (memcmp(a->ranks, b->ranks, (size_t)a->size * sizeof a->ranks[0]) == 0)
        return MPI_IDENT;
    for (int i = 0; i < a->size; i++)
        if (wm_rank_group_find(b, a->ranks[i]) == MPI_UNDEFINED)
            return MPI_UNEQUAL;
    return MPI_SIMILAR;
}

int wm_rank_group_give(struct wm_rank_group *group, MPI_Group *handle)
{
    struct wm_rank_group_handle *h;

    *handle = MPI_GROUP_EMPTY;
    if (group->size == 0) {
        wm_rank_group_leave(group);
        return MPI_SUCCESS;
    }
    h = malloc(sizeof *h);
    if (h == NULL || wm_rank_handle_give(&h->object, WM_RANK_GROUP) < 0) {
        wm_rank_group_leave(group);
        free(h);
        return MPI_ERR_NO_MEM;
    }
    h->group = group;
    *handle = (MPI_Group)h->object.place;
    return MPI_SUCCESS;
}

/* ---- questions ---- */

#define ENTER() WM_RANK_ENTER(__func__)
#define RETURN(error) return wm_rank_return(rank, NULL, __func__, error)

WM_RANK_DOOR int MPI_Group_size(MPI_Group group, int *size)
{
    ENTER();
    const struct wm_rank_group *g = wm_rank_group_of(group);

    if (g != NULL)
        *size = g->size;
    RETURN(g != NULL ? MPI_SUCCESS : MPI_ERR_GROUP);
}

WM_RANK_DOOR int MPI_Group_rank(MPI_Group group, int *self)
{
    ENTER();
    const struct wm_rank_group *g = wm_rank_group_of(group);

    if (g != NULL)
        *self = wm_rank_group_find(g, rank->number);
    RETURN(g != NULL ? MPI_SUCCESS : MPI_ERR_GROUP);
}

WM_RANK_DOOR int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
    ENTER();
    const struct wm_rank_group *a = wm_rank_group_of(group1), *b = wm_rank_group_of(group2);

    if (a == NULL || b == NULL)
        RETURN(MPI_ERR_GROUP);
    *result = wm_rank_group_compare(a, b);
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])
{
    ENTER();
    const struct wm_rank_group *a = wm_rank_group_of(group1), *b = wm_rank_group_of(group2);

    if (a == NULL || b == NULL)
        RETURN(MPI_ERR_GROUP);
    for (int i = 0; i < n; i++) {
        if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= a->size))
            RETURN(MPI_ERR_RANK);
        ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : wm_rank_group_find(b, a->ranks[ranks1[i]]);
    }
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Group_free(MPI_Group *group)
{
    ENTER();
    struct wm_rank_group_handle *h = wm_rank_object_of(*group, WM_RANK_GROUP);

    if (h == NULL && *group != MPI_GROUP_EMPTY)
        RETURN(MPI_ERR_GROUP);
    *group = MPI_GROUP_NULL;
    if (h != NULL) {
        wm_rank_handle_take(&h->object);
        wm_rank_group_leave(h->group);
        free(h);
    }
    return MPI_SUCCESS;
}

/* ---- new groups ---- */

/* Which members of `a`, and of `b` behind them, are in the result. */
enum set { UNION, INTERSECTION, DIFFERENCE };

static int combine(enum set set, MPI_Group group1, MPI_Group group2, MPI_Group *made)
{
    const struct wm_rank_group *a = wm_rank_group_of(group1), *b = wm_rank_group_of(group2);
    struct wm_rank_group *g;
    int size = 0;

    if (a == NULL || b == NULL)
        return MPI_ERR_GROUP;
    if ((g = wm_rank_group_new(a->size + b->size)) == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < a->size; i++)
        if (set == UNION || (wm_rank_group_find(b, a->ranks[i]) == MPI_UNDEFINED) == (set == DIFFERENCE))
            g->ranks[size++] = a->ranks[i];
    for (int i = 0; set == UNION && i < b->size; i++)
        if (wm_rank_group_find(a, b->ranks[i]) == MPI_UNDEFINED)
            g->ranks[size++] = b->ranks[i];
    g->size = size;
    return wm_rank_group_give(g, made);
}

WM_RANK_DOOR int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    ENTER();
    RETURN(combine(UNION, group1, group2, newgroup));
}

WM_RANK_DOOR int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    ENTER();
    RETURN(combine(INTERSECTION, group1, group2, newgroup));
}

WM_RANK_DOOR int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    ENTER();
    RETURN(combine(DIFFERENCE, group1, group2, newgroup));
}

/* The members listed, or, if `without`, all others in their order. Each may be listed once. */
static int choose(const struct wm_rank_group *from, int count, const int listed[], bool without, MPI_Group *made)
{
    struct wm_rank_group *g = wm_rank_group_new(from->size);
    bool *chosen = calloc((size_t)from->size + 1, sizeof *chosen);
    int error = g == NULL || chosen == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;

    for (int i = 0; i < count && error == MPI_SUCCESS; i++) {
        if (listed[i] < 0 || listed[i] >= from->size || chosen[listed[i]]) {
            error = MPI_ERR_RANK;
        } else {
            chosen[listed[i]] = true;
            g->ranks[i] = from->ranks[listed[i]];
        }
    }
    if (error == MPI_SUCCESS) {
        g->size = without ? 0 : count;
        for (int i = 0; without && i < from->size; i++)
            if (!chosen[i])
                g->ranks[g->size++] = from->ranks[i];
        error = wm_rank_group_give(g, made);
    } else {
        wm_rank_group_leave(g);
    }
    free(chosen);
    return error;
}

static int list(MPI_Group group, int n, const int ranks[], bool without, MPI_Group *made)
{
    const struct wm_rank_group *from = wm_rank_group_of(group);

    if (from == NULL)
        return MPI_ERR_GROUP;
    return n < 0 || n > from->size ? MPI_ERR_ARG : choose(from, n, ranks, without, made);
}

WM_RANK_DOOR int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    ENTER();
    RETURN(list(group, n, ranks, false, newgroup));
}

WM_RANK_DOOR int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    ENTER();
    RETURN(list(group, n, ranks, true, newgroup));
}

/* Write ranges (first, last, stride) out. Returns how many ranks they are; -1: more than there is room for, or a stride
 * of 0. */
static int write_out(int n, int ranges[][3], int room, int listed[])
{
    int count = 0;

    for (int i = 0; i < n; i++) {
        int stride = ranges[i][2];

        if (stride == 0)
            return -1;
        for (int64_t r = ranges[i][0]; stride > 0 ? r <= ranges[i][1] : r >= ranges[i][1]; r += stride) {
            if (count == room)
                return -1;
            listed[count++] = (int)r;
        }
    }
    return count;
}

static int list_ranges(MPI_Group group, int n, int ranges[][3], bool without, MPI_Group *made)
{
    const struct wm_rank_group *from = wm_rank_group_of(group);
    int *listed, count, error;

    if (from == NULL)
        return MPI_ERR_GROUP;
    if ((listed = malloc(((size_t)from->size + 1) * sizeof *listed)) == NULL)
        return MPI_ERR_NO_MEM;
    count = write_out(n, ranges, from->size, listed);
    error = count < 0 ? MPI_ERR_ARG : choose(from, count, listed, without, made);
    free(listed);
    return error;
}

WM_RANK_DOOR int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    ENTER();
    RETURN(list_ranges(group, n, ranges, false, newgroup));
}

WM_RANK_DOOR int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    ENTER();
    RETURN(list_ranges(group, n, ranges, true, newgroup));
}

/* ---- Fortran's numbers of handles ---- */

WM_RANK_DOOR MPI_Fint MPI_Group_c2f(MPI_Group group)
{
    return wm_rank_object_of(group, WM_RANK_GROUP) != NULL
               ? WM_RANK_FIRST_NUMBER + (MPI_Fint)wm_rank_handle_index(group)
               : PMPI_Group_c2f(group);
}

WM_RANK_DOOR MPI_Group MPI_Group_f2c(MPI_Fint group)
{
    return group >= WM_RANK_FIRST_NUMBER ? (MPI_Group)&wm_rank_handles.places[group - WM_RANK_FIRST_NUMBER]
                                         : PMPI_Group_f2c(group);
}
