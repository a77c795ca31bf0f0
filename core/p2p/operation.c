/* From what a caller has given to an envelope under way. */
#include "core/p2p/operation.h"

/* ---- checks ---- */

int wm_p2p_operation_place(const struct wm_p2p_operation *o)
{
    if (o->comm == NULL)
        return MPI_ERR_COMM;
    if (o->tag < 0 && !(o->receives && o->tag == MPI_ANY_TAG))
        return MPI_ERR_TAG;
    if ((unsigned)o->peer >= (unsigned)o->comm->size && o->peer != MPI_PROC_NULL &&
        !(o->receives && o->peer == MPI_ANY_SOURCE))
        return MPI_ERR_RANK;
    return MPI_SUCCESS;
}

static int read_all(struct wm_p2p_operation *o, const void *data, int count, MPI_Datatype type)
{
    int error = wm_p2p_operation_place(o);

    return error != MPI_SUCCESS ? error : wm_p2p_data_read(&o->data, data, count, type);
}

int wm_p2p_operation_send(struct wm_p2p_operation *o, enum wm_p2p_mode mode, const void *data, int count,
                          MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm)
{
    o->comm = comm;
    o->mode = mode;
    o->receives = false;
    o->peer = peer;
    o->tag = tag;
    return read_all(o, data, count, type);
}

int wm_p2p_operation_receive(struct wm_p2p_operation *o, void *data, int count, MPI_Datatype type, int peer, int tag,
                             struct wm_p2p_comm *comm)
{
    o->comm = comm;
    o->mode = WM_P2P_STANDARD;
    o->receives = true;
    o->peer = peer;
    o->tag = tag;
    return read_all(o, data, count, type);
}

/* ---- requests ---- */

static struct wm_p2p_request *make(const struct wm_p2p_operation *o, bool receives)
{
    const struct wm_p2p_comm *comm = o->comm;
    struct wm_p2p_request *r = wm_p2p_request_new(comm->process);

    if (r == NULL)
        return NULL;
    r->receives = receives;
    r->nobody = o->peer == MPI_PROC_NULL;
    r->mode = o->mode;
    r->bytes = o->data.bytes;
    r->words = (wm_p2p_words){comm->context, receives ? o->peer : comm->self, o->tag, 0};
    r->e.message.peer = receives || r->nobody ? 0 : comm->endpoints[o->peer];
    r->e.message.rendezvous = o->mode == WM_P2P_SYNCHRONOUS;
    r->e.message.buffer = o->data.at;
    return r;
}

static int pack_aside(struct wm_p2p_request *r, const struct wm_p2p_data *data, bool keep_type)
{
    struct wm_p2p_packed *packed = wm_p2p_packed_new(data);
    int error = MPI_SUCCESS;

    if (packed == NULL)
        return MPI_ERR_NO_MEM;
    if (keep_type && (error = wm_p2p_packed_keep_type(packed)) != MPI_SUCCESS) {
        wm_p2p_packed_free(packed);
        return error;
    }
    r->packed = packed;
    r->e.message.buffer = packed->bytes;
    return MPI_SUCCESS;
}

int wm_p2p_request_place(struct wm_p2p_request *r, const struct wm_p2p_data *data, bool keep_type)
{
    r->bytes = data->bytes;
    r->e.message.buffer = data->at;
    return data->straight ? MPI_SUCCESS : pack_aside(r, data, keep_type);
}

/* ---- starts ---- */

static void start_with_nobody(struct wm_p2p_request *r)
{
    r->e.header = (struct wm_p2p_header){0, MPI_PROC_NULL, MPI_ANY_TAG};
    r->e.message.bytes = 0;
    r->e.message.traced = 0;
    wm_envelope_complete(&r->e.message, WM_MESSAGE_DONE);
}

static void send(struct wm_p2p_request *r)
{
    struct wm_p2p_process *process = r->process;

    if (process->sends != NULL && wm_protocol_sibling(&process->protocol.common, r->e.message.peer) == NULL)
        process->sends_away = true;
    wm_p2p_protocol_send(&process->protocol, &r->e);
}

static void start(struct wm_p2p_request *r, bool receives)
{
    r->active = true;
    wm_p2p_put_header(r, r->words);
    r->e.message.bytes = r->bytes;
    if (__builtin_expect(r->nobody, 0))
        start_with_nobody(r);
    else if (receives)
        wm_p2p_protocol_receive(&r->process->protocol, &r->e);
    else
        send(r);
}

static int start_buffered(struct wm_p2p_request *r, const struct wm_p2p_data *data)
{
    int error = wm_p2p_buffer_put(r, data);

    if (error == MPI_SUCCESS)
        start(r, false);
    return error;
}

static int start_any(struct wm_p2p_request *r, const struct wm_p2p_operation *o, bool waits)
{
    int error = MPI_SUCCESS;

    if (o->mode == WM_P2P_BUFFERED && !r->nobody)
        return start_buffered(r, &o->data);
    if (!o->data.straight)
        error = pack_aside(r, &o->data, o->receives && !waits);
    if (error == MPI_SUCCESS && !o->data.straight && !o->receives)
        error = wm_p2p_data_pack(&o->data, r->packed->bytes);
    if (error == MPI_SUCCESS)
        start(r, o->receives);
    return error;
}

bool wm_p2p_plain_give(const struct wm_p2p_comm *comm, const void *data, size_t bytes, int peer, int tag,
                       enum wm_p2p_mode mode)
{
    union {
        wm_p2p_words words;
        struct wm_p2p_header header;
    } message = {.words = {comm->context, comm->self, tag, 0}};

    return wm_p2p_protocol_give(&comm->process->protocol, &message.header, (void *)(uintptr_t)data, bytes,
                                comm->endpoints[peer], mode == WM_P2P_SYNCHRONOUS);
}

struct wm_p2p_request *wm_p2p_plain_send(struct wm_p2p_comm *comm, const void *at, size_t bytes, int peer, int tag,
                                         enum wm_p2p_mode mode)
{
    struct wm_p2p_request *r = wm_p2p_plain_new(comm, at, bytes, false);

    if (__builtin_expect(r == NULL, 0))
        return NULL;
    r->e.message.peer = comm->endpoints[peer];
    r->e.message.rendezvous = mode == WM_P2P_SYNCHRONOUS;
    wm_p2p_put_header(r, (wm_p2p_words){comm->context, comm->self, tag, 0});
    wm_p2p_protocol_send(&r->process->protocol, &r->e);
    if (!comm->apart)
        wm_p2p_started(r);
    return r;
}

static int begin(const struct wm_p2p_operation *o, bool waits, struct wm_p2p_request **request)
{
    struct wm_p2p_request *r = make(o, o->receives);
    int error;

    if (r == NULL)
        return MPI_ERR_NO_MEM;
    if ((error = start_any(r, o, waits)) != MPI_SUCCESS) {
        wm_p2p_request_release(r);
        return error;
    }
    if (!o->comm->apart)
        wm_p2p_started(r);
    *request = r;
    return MPI_SUCCESS;
}

/* Copies of what a rank has sent, which wait for their receives. */
static size_t copied_bytes(const struct wm_p2p_process *process)
{
    size_t bytes = 0;

    for (const struct wm_p2p_request *r = process->orphans; r != NULL; r = r->next)
        bytes += r->packed != NULL ? r->bytes : 0;
    return bytes;
}

/* The sender would wait until another process, which computes, takes the data. */
static bool shall_be_copied(const struct wm_p2p_operation *o)
{
    const struct wm_p2p_process *process = o->comm->process;
    const struct wm_protocol *p = &process->protocol.common;

    return process->sends != NULL && !o->comm->apart && o->mode == WM_P2P_STANDARD && o->peer != MPI_PROC_NULL &&
           o->data.straight && wm_protocol_sibling(p, o->comm->endpoints[o->peer]) == NULL &&
           o->data.bytes >= wm_protocol_way(p, true, o->data.bytes)->eager_below &&
           o->data.bytes + copied_bytes(process) <= WM_P2P_COPIES_MOST;
}

/* A copy is sent, which is nobody's; the caller's request is done. */
static int begin_copy(const struct wm_p2p_operation *o, struct wm_p2p_request **request)
{
    struct wm_p2p_request *copy = make(o, false);
    int error = copy != NULL ? pack_aside(copy, &o->data, false) : MPI_ERR_NO_MEM;

    if (error == MPI_SUCCESS && (*request = make(o, false)) == NULL)
        error = MPI_ERR_NO_MEM;
    if (error != MPI_SUCCESS) {
        if (copy != NULL)
            wm_p2p_request_release(copy);
        return error;
    }
    memcpy(copy->packed->bytes, o->data.at, o->data.bytes);
    start(copy, false);
    wm_p2p_request_leave(copy);
    (*request)->nobody = true;
    start(*request, false);
    return MPI_SUCCESS;
}

int wm_p2p_operation_begin(const struct wm_p2p_operation *o, bool waits, struct wm_p2p_request **request)
{
    return !o->receives && shall_be_copied(o) ? begin_copy(o, request) : begin(o, waits, request);
}

/* A persistent buffered send keeps its data's description, and is started as another request, which is nobody's. */
static int start_another(const struct wm_p2p_request *r)
{
    struct wm_p2p_request *another = wm_p2p_request_new(r->process);
    int number, error;

    if (another == NULL)
        return MPI_ERR_NO_MEM;
    number = another->number; /* Fortran's handle of it, not of the other */
    *another = *r;
    another->number = number;
    another->packed = NULL;
    if ((error = start_buffered(another, &r->packed->data)) == MPI_SUCCESS)
        wm_p2p_request_leave(another);
    else
        wm_p2p_request_release(another);
    return error;
}

static int start_other(struct wm_p2p_request *r)
{
    int error;

    r->active = true;
    r->e.message.complete = false;
    if ((error = r->other->start(r->with)) != MPI_SUCCESS)
        wm_p2p_other_keep(r);
    return error;
}

int wm_p2p_request_start(struct wm_p2p_request *r)
{
    int error = MPI_SUCCESS;

    if (r->other != NULL)
        return start_other(r);
    if (r->mode == WM_P2P_BUFFERED && !r->nobody) {
        if ((error = start_another(r)) == MPI_SUCCESS) {
            r->active = true;
            wm_envelope_complete(&r->e.message, WM_MESSAGE_DONE);
        }
        return error;
    }
    if (!r->receives && r->packed != NULL)
        error = wm_p2p_data_pack(&r->packed->data, r->packed->bytes);
    if (error != MPI_SUCCESS)
        return error;
    start(r, r->receives);
    wm_p2p_started(r);
    return MPI_SUCCESS;
}

int wm_p2p_operation_keep(const struct wm_p2p_operation *o, struct wm_p2p_request **request)
{
    struct wm_p2p_request *r = make(o, o->receives);
    int error = MPI_SUCCESS;

    if (r == NULL)
        return MPI_ERR_NO_MEM;
    r->persistent = true;
    if (!o->data.straight || o->mode == WM_P2P_BUFFERED)
        error = pack_aside(r, &o->data, true);
    if (error != MPI_SUCCESS)
        wm_p2p_request_release(r);
    else
        *request = r;
    return error;
}
