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

/* Read what a caller has given. Returns MPI_SUCCESS or the class of what is wrong. */
int wm_p2p_data_read(struct wm_p2p_data *data, const void *buffer, int count, MPI_Datatype type);
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
