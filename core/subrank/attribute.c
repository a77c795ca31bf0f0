/* Attributes of communicators, and their keys. Keys are the process's, copy and delete functions a subrank's own. */
#include <stdlib.h>
#include "core/subrank/fortran.h"
#include "core/subrank/rank.h"

struct wm_rank_key {
    int users; /* attributes, and one until it is freed; 0: none has this number */
    bool freed;
    enum wm_rank_language language; /* of its functions */
    MPI_Comm_copy_attr_function *copy;
    MPI_Comm_delete_attr_function *delete;
    void *extra;
};

enum { FIRST_KEY = 1 << 16 }; /* predefined ones are below */

static struct wm_rank_key *keys;
static int key_count;

static struct wm_rank_key *key_of(int number)
{
    int i = number - FIRST_KEY;

    return number >= FIRST_KEY && i < key_count && keys[i].users > 0 ? &keys[i] : NULL;
}

static int new_key(int *number)
{
    struct wm_rank_key *more;
    int i = 0;

    while (i < key_count && keys[i].users > 0)
        i++;
    if (i == key_count) {
        if ((more = realloc(keys, (size_t)(2 * key_count + 8) * sizeof *keys)) == NULL)
            return MPI_ERR_NO_MEM;
        keys = more;
        for (key_count = 2 * key_count + 8; i < key_count; i++)
            keys[i] = (struct wm_rank_key){0};
        i = (key_count - 8) / 2;
    }
    *number = FIRST_KEY + i;
    return MPI_SUCCESS;
}

static MPI_Comm handle_of(const struct wm_rank_comm *c)
{
    if (c == c->rank->world)
        return MPI_COMM_WORLD;
    return c == c->rank->alone ? MPI_COMM_SELF : (MPI_Comm)c->object.place;
}

static struct wm_rank_attribute **find(struct wm_rank_comm *c, int number)
{
    struct wm_rank_attribute **link = &c->attributes;

    while (*link != NULL && (*link)->key != number)
        link = &(*link)->next;
    return link;
}

/* ---- copies, ends ---- */

static int add(struct wm_rank_comm *c, int number, enum wm_rank_language language, void *value)
{
    struct wm_rank_attribute *a = malloc(sizeof *a);

    if (a == NULL)
        return MPI_ERR_NO_MEM;
    *a = (struct wm_rank_attribute){c->attributes, number, language, value};
    c->attributes = a;
    key_of(number)->users++;
    return MPI_SUCCESS;
}

static int call_copy(const struct wm_rank_key *key, MPI_Comm comm, const struct wm_rank_attribute *a, void **value,
                     int *flag)
{
    return key->language == WM_RANK_C ? key->copy(comm, a->key, key->extra, a->value, value, flag)
                                      : wm_fortran_copy(key->language, (wm_rank_function_given *)key->copy, comm,
                                                        a->key, key->extra, a->value, value, flag);
}

static int call_delete(const struct wm_rank_key *key, MPI_Comm comm, const struct wm_rank_attribute *a)
{
    return key->language == WM_RANK_C ? key->delete (comm, a->key, a->value, key->extra)
                                      : wm_fortran_delete(key->language, (wm_rank_function_given *)key->delete, comm,
                                                          a->key, a->value, key->extra);
}

/* In the order in which they were set: those set before come first. */
static int copy_from(const struct wm_rank_attribute *a, const struct wm_rank_comm *from, struct wm_rank_comm *to)
{
    const struct wm_rank_key *key;
    void *value = NULL;
    int error, flag = 0;

    if (a == NULL)
        return MPI_SUCCESS;
    if ((error = copy_from(a->next, from, to)) != MPI_SUCCESS)
        return error;
    key = key_of(a->key);
    if (key->copy != MPI_COMM_NULL_COPY_FN && key->copy != NULL)
        error = call_copy(key, handle_of(from), a, &value, &flag);
    return error == MPI_SUCCESS && flag ? add(to, a->key, a->language, value) : error;
}

int wm_rank_attributes_copy(const struct wm_rank_comm *from, struct wm_rank_comm *to)
{
    return copy_from(from->attributes, from, to);
}

static int delete (struct wm_rank_comm *c, struct wm_rank_attribute **link)
{
    struct wm_rank_attribute *a = *link;
    struct wm_rank_key *key = key_of(a->key);
    int error = MPI_SUCCESS;

    if (key->delete != MPI_COMM_NULL_DELETE_FN && key->delete != NULL)
        error = call_delete(key, handle_of(c), a);
    if (error != MPI_SUCCESS)
        return error;
    *find(c, a->key) = a->next; /* the function may have set or deleted others */
    key_of(a->key)->users--;
    free(a);
    return MPI_SUCCESS;
}

int wm_rank_attributes_delete(struct wm_rank_comm *c)
{
    int error = MPI_SUCCESS;

    while (c->attributes != NULL && error == MPI_SUCCESS)
        error = delete (c, &c->attributes);
    return error;
}

/* ---- doors ---- */

#define ENTER()                                                                                                        \
    WM_RANK_ENTER(__func__);                                                                                           \
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm)
#define RETURN(error) return wm_rank_return(rank, c, __func__, error)

static int make_key(enum wm_rank_language language, MPI_Comm_copy_attr_function *copy,
                    MPI_Comm_delete_attr_function *delete_function, int *number, void *extra)
{
    int error = new_key(number);

    if (error == MPI_SUCCESS)
        keys[*number - FIRST_KEY] = (struct wm_rank_key){1, false, language, copy, delete_function, extra};
    return error;
}

static int free_key(int *number)
{
    struct wm_rank_key *key = key_of(*number);

    if (key == NULL || key->freed)
        return MPI_ERR_KEYVAL;
    key->freed = true;
    key->users--;
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* The old one's value goes first. */
static int set(struct wm_rank_comm *c, int number, enum wm_rank_language language, void *value)
{
    struct wm_rank_attribute **old;
    int error;

    if (c == NULL)
        return MPI_ERR_COMM;
    if (key_of(number) == NULL)
        return MPI_ERR_KEYVAL;
    old = find(c, number);
    error = *old != NULL ? delete (c, old) : MPI_SUCCESS;
    return error == MPI_SUCCESS ? add(c, number, language, value) : error;
}

/* What MPI_COMM_WORLD has of itself: tags may be any number that is not negative, the rest is as in the library. */
static int get_predefined(int number, void *value, int *flag)
{
    static int tag_bound = INT32_MAX;

    if (number != MPI_TAG_UB)
        return PMPI_Comm_get_attr(MPI_COMM_WORLD, number, value, flag);
    *(void **)value = &tag_bound;
    *flag = 1;
    return MPI_SUCCESS;
}

/* What Fortran has set C gets as a pointer to it. */
static int get(struct wm_rank_comm *c, int number, void *value, int *flag)
{
    struct wm_rank_attribute *a;

    if (c == NULL)
        return MPI_ERR_COMM;
    if (number >= 0 && number < FIRST_KEY)
        return get_predefined(number, value, flag);
    if (key_of(number) == NULL)
        return MPI_ERR_KEYVAL;
    a = *find(c, number);
    *flag = a != NULL;
    if (a != NULL)
        *(void **)value = a->language == WM_RANK_C ? a->value : &a->value;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete_attr,
                                        int *keyval, void *extra_state)
{
    WM_RANK_ENTER(__func__);

    return wm_rank_return(rank, NULL, __func__, make_key(WM_RANK_C, copy, delete_attr, keyval, extra_state));
}

WM_RANK_DOOR int MPI_Comm_free_keyval(int *keyval)
{
    WM_RANK_ENTER(__func__);

    return wm_rank_return(rank, NULL, __func__, free_key(keyval));
}

WM_RANK_DOOR int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    ENTER();
    RETURN(set(c, keyval, WM_RANK_C, value));
}

WM_RANK_DOOR int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    ENTER();
    RETURN(get(c, keyval, value, flag));
}

static int unset(struct wm_rank_comm *c, int number)
{
    struct wm_rank_attribute **link;

    if (c == NULL)
        return MPI_ERR_COMM;
    link = find(c, number);
    return key_of(number) != NULL && *link != NULL ? delete (c, link) : MPI_ERR_KEYVAL;
}

WM_RANK_DOOR int MPI_Comm_delete_attr(MPI_Comm comm, int keyval)
{
    ENTER();
    RETURN(unset(c, keyval));
}

/* ---- the names of MPI 1, the same functions ---- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

WM_RANK_DOOR int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *delete_attr, int *keyval,
                                   void *extra_state)
{
    return MPI_Comm_create_keyval(copy, delete_attr, keyval, extra_state);
}

WM_RANK_DOOR int MPI_Keyval_free(int *keyval)
{
    return MPI_Comm_free_keyval(keyval);
}

WM_RANK_DOOR int MPI_Attr_put(MPI_Comm comm, int keyval, void *value)
{
    return MPI_Comm_set_attr(comm, keyval, value);
}

WM_RANK_DOOR int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
    return MPI_Comm_get_attr(comm, keyval, value, flag);
}

WM_RANK_DOOR int MPI_Attr_delete(MPI_Comm comm, int keyval)
{
    return MPI_Comm_delete_attr(comm, keyval);
}

/* ---- of Fortran ---- */

static int make_fortran_key(enum wm_rank_language language, wm_rank_function_given *copy,
                            wm_rank_function_given *delete_attr, int *keyval, MPI_Aint extra)
{
    static const char function[] = "MPI_Comm_create_keyval";
    WM_RANK_ENTER(function);

    return wm_rank_return(rank, NULL, function,
                          make_key(language, (MPI_Comm_copy_attr_function *)copy,
                                   (MPI_Comm_delete_attr_function *)delete_attr, keyval, (void *)extra));
}

int wm_fortran_comm_create_keyval(wm_rank_function_given *copy, wm_rank_function_given *delete_attr, int *keyval,
                                  MPI_Aint extra)
{
    return make_fortran_key(WM_RANK_FORTRAN, copy, delete_attr, keyval, extra);
}

int wm_fortran_keyval_create(wm_rank_function_given *copy, wm_rank_function_given *delete_attr, int *keyval, int extra)
{
    return make_fortran_key(WM_RANK_FORTRAN_1, copy, delete_attr, keyval, extra);
}

int wm_fortran_comm_set_attr(MPI_Comm comm, int keyval, MPI_Aint value)
{
    static const char function[] = "MPI_Comm_set_attr";
    WM_RANK_ENTER(function);
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm);

    return wm_rank_return(rank, c, function, set(c, keyval, WM_RANK_FORTRAN, (void *)value));
}

/* Of predefined ones C gets the address of an int. */
int wm_fortran_comm_get_attr(MPI_Comm comm, int keyval, MPI_Aint *value, int *flag)
{
    static const char function[] = "MPI_Comm_get_attr";
    WM_RANK_ENTER(function);
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm);
    void *found;
    int error = get(c, keyval, &found, flag);

    if (error != MPI_SUCCESS || !*flag)
        return wm_rank_return(rank, c, function, error);
    if (keyval < FIRST_KEY)
        *value = *(const int *)found;
    else if ((*find(c, keyval))->language == WM_RANK_C)
        *value = (MPI_Aint)found;
    else
        *value = *(const MPI_Aint *)found;
    return MPI_SUCCESS;
}
