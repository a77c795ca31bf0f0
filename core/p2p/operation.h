/* Operations: what a caller has given, checked, until it is a request. */
#ifndef WM_P2P_OPERATION_H
#define WM_P2P_OPERATION_H

#include "core/p2p/process.h"

struct wm_p2p_operation {
    struct wm_p2p_comm *comm;
    struct wm_p2p_data data;
    enum wm_p2p_mode mode;
    bool receives;
    int peer, tag;
};

/* Return MPI_SUCCESS or the class of what is wrong. */
int wm_p2p_operation_send(struct wm_p2p_operation *o, enum wm_p2p_mode mode, const void *data, int count,
                          MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm);
int wm_p2p_operation_receive(struct wm_p2p_operation *o, void *data, int count, MPI_Datatype type, int peer, int tag,
                             struct wm_p2p_comm *comm);
/* The communicator and rank of a receive or a probe, and the tag. */
int wm_p2p_operation_place(const struct wm_p2p_operation *o);

/* Make a persistent request. Returns MPI_SUCCESS, MPI_ERR_NO_MEM or MPI's error. */
int wm_p2p_operation_keep(const struct wm_p2p_operation *o, struct wm_p2p_request **request);
/* Start it; `waits`: the caller does not return before it is done, so that his type is there. Returns MPI_SUCCESS or
 * why it could not be started; what goes wrong later the request says when it is finished. */
int wm_p2p_operation_begin(const struct wm_p2p_operation *o, bool waits, struct wm_p2p_request **request);

/* Room for what a request receives. Returns MPI_SUCCESS, MPI_ERR_NO_MEM or MPI's error. */
int wm_p2p_request_place(struct wm_p2p_request *r, const struct wm_p2p_data *data, bool keep_type);
/* Start an inactive request. Returns as wm_p2p_operation_begin. */
int wm_p2p_request_start(struct wm_p2p_request *r);

#endif
