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

/* Most operations are **plain**: bytes in order at `data`, to or from one rank that is there. Is it one, and nothing
 * wrong with it? A look at no more than that; what is not plain needs an operation. */
static inline bool wm_p2p_is_plain(const void *data, int count, MPI_Datatype type, int peer, int tag,
                                   const struct wm_p2p_comm *comm, size_t *bytes)
{
    const struct wm_geometry *known = wm_geometry_recent_place(type);

    if (__builtin_expect(comm == NULL || data == NULL || (count | tag) < 0, 0) ||
        __builtin_expect((unsigned)peer >= (unsigned)comm->size || !known->packed || known->type != type, 0))
        return false;
    *bytes = (size_t)count * known->size;
    return true;
}
/* Send it to a sibling that waits for it, or that keeps a copy. False: that is not so, and nothing is sent. */
bool wm_p2p_plain_give(const struct wm_p2p_comm *comm, const void *data, size_t bytes, int peer, int tag,
                       enum wm_p2p_mode mode);
/* Receive it, and wait for that; a status that is wanted is set. Returns MPI_SUCCESS or what went wrong. */
int wm_p2p_plain_await(struct wm_p2p_comm *comm, void *data, size_t bytes, int peer, int tag, MPI_Status *status);
/* Start a send that is not buffered, of a process that counts no sends. NULL: no memory. */
struct wm_p2p_request *wm_p2p_plain_send(struct wm_p2p_comm *comm, const void *data, size_t bytes, int peer, int tag,
                                         enum wm_p2p_mode mode);
/* The header of a request that begins. */
static inline void wm_p2p_put_header(struct wm_p2p_request *r, wm_p2p_words words)
{
    memcpy((char *)r + offsetof(struct wm_p2p_request, e.header), &words, sizeof words);
}

/* A request without what only a persistent one needs. */
WM_MESSAGE_INLINE struct wm_p2p_request *wm_p2p_plain_new(const struct wm_p2p_comm *comm, const void *at, size_t bytes,
                                                          bool receives)
{
    struct wm_p2p_request *r = wm_p2p_request_new(comm->process);

    if (__builtin_expect(r == NULL, 0))
        return NULL;
    r->receives = receives;
    r->nobody = false;
    r->active = true;
    r->e.message.buffer = (void *)(uintptr_t)at;
    r->e.message.bytes = bytes;
    return r;
}

/* Start a receive. NULL: no memory. Inlined: what a receive does is half of what MPI_Irecv does. */
WM_MESSAGE_INLINE struct wm_p2p_request *wm_p2p_plain_receive(struct wm_p2p_comm *comm, void *at, size_t bytes,
                                                              int peer, int tag)
{
    struct wm_p2p_request *r = wm_p2p_plain_new(comm, at, bytes, true);

    if (__builtin_expect(r == NULL, 0))
        return NULL;
    wm_p2p_put_header(r, (wm_p2p_words){comm->context, peer, tag, 0});
    wm_p2p_protocol_receive(&r->process->protocol, &r->e);
    if (!comm->apart)
        wm_p2p_started(r);
    return r;
}

/* wm_p2p_isend: inlined where it is called often; of what is not plain. */
int wm_p2p_isend_any(const void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                     enum wm_p2p_mode mode, struct wm_p2p_request **request);
static inline int wm_p2p_isend_inline(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type, int peer,
                                      int tag, struct wm_p2p_comm *comm, struct wm_p2p_request **request)
{
    size_t bytes;

    if (mode == WM_P2P_BUFFERED || !wm_p2p_is_plain(data, count, type, peer, tag, comm, &bytes) ||
        !wm_p2p_plain_give(comm, data, bytes, peer, tag, mode))
        return wm_p2p_isend_any(data, count, type, peer, tag, comm, mode, request);
    *request = comm->process->sent;
    return MPI_SUCCESS;
}

/* The same for wm_p2p_irecv. */
int wm_p2p_irecv_any(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                     struct wm_p2p_request **request);
static inline int wm_p2p_irecv_inline(void *data, int count, MPI_Datatype type, int peer, int tag,
                                      struct wm_p2p_comm *comm, struct wm_p2p_request **request)
{
    struct wm_p2p_request *r;
    size_t bytes;

    if (!wm_p2p_is_plain(data, count, type, peer, tag, comm, &bytes))
        return wm_p2p_irecv_any(data, count, type, peer, tag, comm, request);
    if (__builtin_expect((r = wm_p2p_plain_receive(comm, data, bytes, peer, tag)) == NULL, 0))
        return MPI_ERR_NO_MEM;
    *request = r;
    return MPI_SUCCESS;
}

/* wm_p2p_sendrecv of what is not plain. */
int wm_p2p_sendrecv_any(const void *data, int count, MPI_Datatype type, int to, int tag, void *received, int room,
                        MPI_Datatype received_type, int from, int received_tag, struct wm_p2p_comm *comm,
                        MPI_Status *status);
/* wm_p2p_sendrecv, inlined where it is called often. */
static inline int wm_p2p_sendrecv_inline(const void *data, int count, MPI_Datatype type, int to, int tag,
                                         void *received, int room, MPI_Datatype received_type, int from,
                                         int received_tag, struct wm_p2p_comm *comm, MPI_Status *status)
{
    size_t bytes, room_bytes;

    if (!wm_p2p_is_plain(data, count, type, to, tag, comm, &bytes) ||
        !wm_p2p_is_plain(received, room, received_type, from, received_tag, comm, &room_bytes) ||
        !wm_p2p_plain_give(comm, data, bytes, to, tag, WM_P2P_STANDARD))
        return wm_p2p_sendrecv_any(data, count, type, to, tag, received, room, received_type, from, received_tag, comm,
                                   status);
    return wm_p2p_plain_await(comm, received, room_bytes, from, received_tag, status);
}

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
