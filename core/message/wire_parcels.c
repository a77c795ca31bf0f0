/* The wire between nodes: each line is a parcel, all from one pool, and received from anyone. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/error.h"
#include "core/message/wire_carriers.h"
#include "core/node/progress_library.h"
#include "core/process/process.h"

enum { PARCELS = 32, PARCEL_DATA_BYTES = 32 << 10, TAG = 1 }; /* tag 0: the node's area, when the wire is opened */

/* A parcel's head. */
struct parcel_line {
    struct wm_line_head head;
    uint64_t body_bytes;
    int32_t process;
    uint32_t number; /* of those from this process to that; wraps */
};
_Static_assert(sizeof(struct parcel_line) <= WM_PARCEL_HEAD_BYTES, "it is a parcel's head");
_Static_assert((int)PARCEL_DATA_BYTES >= (int)WM_LINE_BODY_BYTES, "a line's body is a parcel's");

void wm_wire_parcels_open(struct wm_wire *w)
{
    struct wm_parcels_form form = {.bytes = WM_PARCEL_HEAD_BYTES + PARCEL_DATA_BYTES,
                                   .links = 1,
                                   .out = PARCELS,
                                   .in = PARCELS,
                                   .tag = TAG,
                                   .comm = w->comm};

    form.memory = w->memory = wm_allocate(2 * PARCELS * form.bytes, "messages");
    if (wm_parcels_new(&w->parcels, &form) < 0)
        wm_out_of_memory("messages");
}

void wm_wire_parcels_close(struct wm_wire *w)
{
    wm_parcels_free(w->parcels);
    free(w->memory);
}

static struct parcel_line *line_of(const struct wm_parcel *parcel)
{
    return parcel->head;
}

/* A parcel for a line; NULL: there is no room. */
static struct wm_parcel *begin(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                               size_t body_bytes)
{
    struct wm_parcel *parcel = wm_parcels_get(w->parcels, &w->share);

    if (parcel != NULL)
        *line_of(parcel) = (struct parcel_line){*head, body_bytes, w->self, peer->next_out++};
    return parcel;
}

bool wm_wire_parcel_write(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                          const struct wm_line_body *body)
{
    size_t bytes = body->first_bytes + body->second_bytes;
    struct wm_parcel *parcel = begin(w, peer, head, bytes);

    if (parcel == NULL)
        return false;
    if (body->first_bytes > 0)
        memcpy(wm_parcel_body(parcel), body->first, body->first_bytes);
    if (body->second_bytes > 0)
        memcpy(wm_parcel_body(parcel) + body->first_bytes, body->second, body->second_bytes);
    w->in_mpi = true;
    wm_parcels_send(w->parcels, parcel, peer->process, bytes);
    w->in_mpi = false;
    return true;
}

size_t wm_wire_parcel_write_data(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                                 const char *data, size_t bytes)
{
    struct wm_line_body body = {.first = data, .first_bytes = bytes < PARCEL_DATA_BYTES ? bytes : PARCEL_DATA_BYTES};

    return wm_wire_parcel_write(w, peer, head, &body) ? body.first_bytes : 0;
}

/* Large ones may be complete before those that were sent before them. */
static void file_parcel(struct wm_wire *w, struct wm_parcel *parcel)
{
    struct wm_wire_peer *peer = wm_wire_peer_by_mpi(w, &w->peers[line_of(parcel)->process]);
    struct wm_parcel **place = &peer->waiting;

    while (*place != NULL && (int32_t)(line_of(*place)->number - line_of(parcel)->number) < 0)
        place = &(*place)->next;
    parcel->next = *place;
    *place = parcel;
    if (peer->is_ready)
        return;
    peer->is_ready = true;
    peer->ready = w->ready;
    w->ready = peer;
}

bool wm_wire_parcel_look(struct wm_wire_peer *peer, struct wm_wire_line *l)
{
    struct wm_parcel *parcel = peer->waiting;

    if (parcel == NULL || line_of(parcel)->number != peer->next_in)
        return false;
    l->head = line_of(parcel)->head;
    l->body = wm_parcel_body(parcel);
    l->data = l->body + l->head.header_bytes;
    l->body_bytes = line_of(parcel)->body_bytes;
    return true;
}

void wm_wire_parcel_take(struct wm_wire *w, struct wm_wire_peer *peer)
{
    struct wm_parcel *parcel = peer->waiting;

    peer->waiting = parcel->next;
    peer->next_in++;
    w->in_mpi = true;
    wm_parcels_post(w->parcels, parcel);
    w->in_mpi = false;
}

static void check(const struct wm_wire *w)
{
    int code = wm_parcels_error(w->parcels), length;
    char text[MPI_MAX_ERROR_STRING] = "";
    struct wm_error error = {0};

    if (code == MPI_SUCCESS)
        return;
    PMPI_Error_string(code, text, &length);
    wm_error_set(&error, -WM_EMPI, "messages of rank %d cannot be sent or received by MPI: %s", w->self, text);
    wm_process_abort(&error);
}

bool wm_wire_progress(struct wm_wire *w)
{
    struct wm_parcel *parcel;
    bool yields = wm_progress_stop_yields(), moved;

    w->in_mpi = true;
    moved = wm_parcels_progress(w->parcels);
    w->in_mpi = false;
    wm_progress_let_yield(yields);
    check(w);
    while (moved && (parcel = wm_parcels_arrived(w->parcels)) != NULL)
        file_parcel(w, parcel);
    return moved;
}

bool wm_wire_idle(const struct wm_wire *w)
{
    return w->parcels == NULL || wm_parcels_idle(w->parcels);
}
