/* The user's data: straight or packed. */
#include "core/p2p/data.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int wm_p2p_data_class(int error)
{
    int class = MPI_ERR_TYPE;

    PMPI_Error_class(error, &class);
    return class;
}

/* Pack an element whose bytes are those of their own offsets, eight bits of these at a time: it is in order, if the
 * bytes come out as they went in. False, too, without memory. */
static bool packs_in_order(const struct wm_geometry *type)
{
    unsigned char *offsets = malloc(2 * type->size);
    bool in_order = offsets != NULL;

    for (int shift = 0; in_order && shift < 64 && (shift == 0 || type->size >> shift > 0); shift += 8) {
        for (size_t i = 0; i < type->size; i++)
            offsets[i] = (unsigned char)(i >> shift);
        in_order = wm_geometry_pack(type, (const void *)((uintptr_t)offsets - (uintptr_t)type->true_low), 1,
                                    (char *)offsets + type->size) == MPI_SUCCESS &&
                   memcmp(offsets, offsets + type->size, type->size) == 0;
    }
    free(offsets);
    return in_order;
}

/* The same for a type whose elements have no gaps; known once it has been asked, by an attribute of the type. */
static bool is_in_order(const struct wm_geometry *type)
{
    static int key = MPI_KEYVAL_INVALID; /* of the operating system's process, as datatypes are */
    static char yes;
    void *known;
    int flag = 0;

    if (key == MPI_KEYVAL_INVALID &&
        PMPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL) != MPI_SUCCESS)
        return false;
    PMPI_Type_get_attr(type->type, key, &known, &flag);
    if (!flag) {
        known = packs_in_order(type) ? &yes : NULL;
        PMPI_Type_set_attr(type->type, key, known);
    }
    return known != NULL;
}

bool wm_p2p_data_has_no_gaps(const struct wm_p2p_data *data)
{
    const struct wm_geometry *type = &data->type;

    return type->size == type->true_extent && (data->count == 1 || type->extent == (ptrdiff_t)type->size) &&
           is_in_order(type);
}

int wm_p2p_data_pack(const struct wm_p2p_data *data, char *to)
{
    if (!data->straight)
        return wm_geometry_pack(&data->type, data->buffer, data->count, to);
    if (data->bytes > 0)
        memcpy(to, data->at, data->bytes);
    return MPI_SUCCESS;
}

int wm_p2p_data_unpack(const struct wm_p2p_data *data, const char *from, size_t bytes)
{
    const struct wm_geometry *type = &data->type;
    size_t elements = bytes / type->size, part = bytes % type->size;
    void *behind = (void *)((uintptr_t)data->buffer + elements * (uintptr_t)type->extent);
    int error = wm_geometry_unpack(type, from, data->buffer, elements);

    if (error == MPI_SUCCESS && part > 0)
        error = wm_geometry_unpack_part(type, from + bytes - part, behind, part);
    return error;
}

struct wm_p2p_packed *wm_p2p_packed_new(const struct wm_p2p_data *data)
{
    struct wm_p2p_packed *packed = malloc(sizeof *packed + data->bytes);

    if (packed == NULL)
        return NULL;
    packed->data = *data;
    packed->keeps_type = false;
    return packed;
}

/* Not by MPI_Type_dup, which calls the user's functions for attributes. */
int wm_p2p_packed_keep_type(struct wm_p2p_packed *packed)
{
    struct wm_geometry *type = &packed->data.type;
    int error = PMPI_Type_contiguous(1, type->type, &type->type);

    packed->keeps_type = error == MPI_SUCCESS;
    return error == MPI_SUCCESS ? PMPI_Type_commit(&type->type) : error;
}

void wm_p2p_packed_free(struct wm_p2p_packed *packed)
{
    if (packed != NULL && packed->keeps_type)
        PMPI_Type_free(&packed->data.type.type);
    free(packed);
}
