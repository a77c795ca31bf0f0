/* The user's data of a send or a receive: where its bytes stand, or how they are packed. */
#ifndef WM_P2P_DATA_H
#define WM_P2P_DATA_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "core/data/geometry.h"

struct wm_p2p_data {
    void *buffer;
    size_t count, bytes;
    struct wm_geometry type;
    bool straight; /* the bytes stand one behind the other, in order, from `at` on */
    void *at;
};

/* Data that is packed, for as long as its message is under way. */
struct wm_p2p_packed {
    struct wm_p2p_data data;
    bool keeps_type; /* the type is ours, since the user may free his meanwhile */
    char bytes[];
};

/* What wm_p2p_data_read calls now and then: the class of an error of MPI; whether data of other types is straight. */
int wm_p2p_data_class(int error);
bool wm_p2p_data_has_no_gaps(const struct wm_p2p_data *data);

/* Read what a caller has given. Returns MPI_SUCCESS or the class of what is wrong. */
static inline int wm_p2p_data_read(struct wm_p2p_data *data, const void *buffer, int count, MPI_Datatype type)
{
    int error = wm_geometry_read(&data->type, type);

    if (__builtin_expect(error != MPI_SUCCESS, 0))
        return wm_p2p_data_class(error);
    if (count < 0)
        return MPI_ERR_COUNT;
    data->buffer = (void *)(uintptr_t)buffer;
    data->count = (size_t)count;
    data->bytes = data->count * data->type.size;
    data->straight = data->type.packed || data->bytes == 0 || wm_p2p_data_has_no_gaps(data);
    data->at = (void *)((uintptr_t)buffer + (uintptr_t)data->type.true_low);
    return data->at == NULL && data->bytes > 0 ? MPI_ERR_BUFFER : MPI_SUCCESS;
}
/* Put its bytes one behind the other. Returns MPI_SUCCESS or MPI's error. */
int wm_p2p_data_pack(const struct wm_p2p_data *data, char *to);
/* Take so many bytes, perhaps fewer than the data has room for, from where they are packed. */
int wm_p2p_data_unpack(const struct wm_p2p_data *data, const char *from, size_t bytes);

/* Room for data that is not straight; NULL: no memory. */
struct wm_p2p_packed *wm_p2p_packed_new(const struct wm_p2p_data *data);
/* The user may free his type from now on. Returns MPI_SUCCESS or MPI's error. */
int wm_p2p_packed_keep_type(struct wm_p2p_packed *packed);
void wm_p2p_packed_free(struct wm_p2p_packed *packed);

#endif
