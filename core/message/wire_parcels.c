/* The wire between nodes: each line is a parcel, unless lines are gathered; all parcels are from one pool, and received
 * from anyone. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/error.h"
#include "core/message/wire_carriers.h"
#include "core/node/progress_library.h"
#include "core/process/process.h"

/* They are eager messages over TCP. Tag 0 is the node's area, when the wire is opened. */
enum { PARCEL_DATA_BYTES = 56 << 10, LINE_ALIGN = 16, TAG = 1 };

/* Data leaves room for other lines: so many parcels, and one for so many that its peer holds. */
enum { SPARE = 4, HELD_FOR_ONE = 3 };

/* Of each line; the first stands in the parcel's head, the others behind the body of the one before, aligned. */
struct parcel_line {
    struct wm_line_head head;
    uint64_t body_bytes;
};

struct parcel_head {
    struct parcel_line line;
    uint64_t bytes; /* of the parcel's body */
    int32_t process;
    uint32_t number; /* of those from this process to that; wraps */
};
_Static_assert(sizeof(struct parcel_head) <= WM_PARCEL_HEAD_BYTES, "it is a parcel's head");
_Static_assert((int)PARCEL_DATA_BYTES >= (int)WM_LINE_BODY_BYTES, "a line's body is a parcel's");

void wm_wire_parcels_open(struct wm_wire *w, int parcels)
{
    struct wm_parcels_form form = {
        .bytes = WM_PARCEL_HEAD_BYTES + PARCEL_DATA_BYTES, .out = parcels, .in = parcels, .tag = TAG, .comm = w->comm};

    form.memory = w->memory = wm_allocate(2 * (size_t)parcels * form.bytes, "messages");
    if (wm_parcels_new(&w->parcels, &form) < 0)
        wm_out_of_memory("messages");
}

void wm_wire_parcels_close(struct wm_wire *w)
{
    wm_parcels_free(w->parcels);
    free(w->memory);
}

static struct parcel_head *head_of(const struct wm_parcel *parcel)
{
    return parcel->head;
}

static size_t aligned(size_t bytes)
{
    return (bytes + LINE_ALIGN - 1) / LINE_ALIGN * LINE_ALIGN;
}

/* An empty parcel; NULL: there is no room. */
static struct wm_parcel *begin(struct wm_wire *w, struct wm_wire_peer *peer)
{
    struct wm_parcel *parcel = wm_parcels_get(w->parcels, &peer->share);

    if (parcel != NULL)
        *head_of(parcel) = (struct parcel_head){.process = w->self, .number = peer->next_out++};
    return parcel;
}

static void send(struct wm_wire *w, struct wm_wire_peer *peer, struct wm_parcel *parcel)
{
    w->in_mpi = true;
    wm_parcels_send(w->parcels, parcel, peer->process, head_of(parcel)->bytes);
    w->in_mpi = false;
}

static void write_body(char *to, const struct wm_line_body *body)
{
    if (body->first_bytes > 0)
        memcpy(to, body->first, body->first_bytes);
    if (body->second_bytes > 0)
        memcpy(to + body->first_bytes, body->second, body->second_bytes);
}

static void write_first(struct wm_parcel *parcel, const struct wm_line_head *head, const struct wm_line_body *body)
{
    size_t bytes = body->first_bytes + body->second_bytes;

    head_of(parcel)->line = (struct parcel_line){*head, bytes};
    head_of(parcel)->bytes = bytes;
    write_body(wm_parcel_body(parcel), body);
}

static void write_next(struct wm_parcel *parcel, const struct wm_line_head *head, const struct wm_line_body *body)
{
    size_t bytes = body->first_bytes + body->second_bytes, at = aligned(head_of(parcel)->bytes);
    struct parcel_line line = {*head, bytes};

    memcpy(wm_parcel_body(parcel) + at, &line, sizeof line);
    write_body(wm_parcel_body(parcel) + at + sizeof line, body);
    head_of(parcel)->bytes = at + sizeof line + bytes;
}

/* Send what is gathered for a peer. */
static void flush(struct wm_wire *w, struct wm_wire_peer *peer)
{
    struct wm_wire_peer **link = &w->gathering;

    while (*link != peer)
        link = &(*link)->gathering;
    *link = peer->gathering;
    send(w, peer, peer->gathered);
    peer->gathered = NULL;
}

bool wm_wire_parcel_write(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                          const struct wm_line_body *body)
{
    struct wm_parcel *parcel;

    if (peer->gathered != NULL)
        flush(w, peer);
    if ((parcel = begin(w, peer)) == NULL)
        return false;
    write_first(parcel, head, body);
    send(w, peer, parcel);
    return true;
}

bool wm_wire_parcel_gather(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                           const struct wm_line_body *body, size_t most_bytes)
{
    size_t needed = sizeof(struct parcel_line) + body->first_bytes + body->second_bytes;

    most_bytes = most_bytes < PARCEL_DATA_BYTES ? most_bytes : PARCEL_DATA_BYTES;
    if (peer->gathered != NULL && aligned(head_of(peer->gathered)->bytes) + needed > most_bytes)
        flush(w, peer);
    if (2 * needed > most_bytes)
        return wm_wire_parcel_write(w, peer, head, body);
    if (peer->gathered != NULL) {
        write_next(peer->gathered, head, body);
        return true;
    }
    if ((peer->gathered = begin(w, peer)) == NULL)
        return false;
    write_first(peer->gathered, head, body);
    peer->gathering = w->gathering;
    w->gathering = peer;
    return true;
}

size_t wm_wire_parcel_write_data(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                                 const char *data, size_t bytes)
{
    struct wm_line_body body = {.first = data, .first_bytes = bytes < PARCEL_DATA_BYTES ? bytes : PARCEL_DATA_BYTES};

    if (peer->share.held >= HELD_FOR_ONE * (wm_parcels_left(w->parcels) - SPARE))
        return 0;
    return wm_wire_parcel_write(w, peer, head, &body) ? body.first_bytes : 0;
}

/* Large ones may be complete before those that were sent before them. */
static void file_parcel(struct wm_wire *w, struct wm_parcel *parcel)
{
    struct wm_wire_peer *peer = wm_wire_peer_by_mpi(w, &w->peers[head_of(parcel)->process]);
    struct wm_parcel **place = &peer->waiting;

    while (*place != NULL && (int32_t)(head_of(*place)->number - head_of(parcel)->number) < 0)
        place = &(*place)->next;
    parcel->next = *place;
    *place = parcel;
    if (peer->is_ready)
        return;
    peer->is_ready = true;
    peer->ready = w->ready;
    w->ready = peer;
}

/* Where the next line's body begins. */
static const char *next_line(const struct wm_wire_peer *peer, struct parcel_line *line)
{
    const struct wm_parcel *parcel = peer->waiting;

    if (peer->read_bytes == 0) {
        *line = head_of(parcel)->line;
        return wm_parcel_body(parcel);
    }
    memcpy(line, wm_parcel_body(parcel) + peer->read_bytes, sizeof *line);
    return wm_parcel_body(parcel) + peer->read_bytes + sizeof *line;
}

bool wm_wire_parcel_look(struct wm_wire_peer *peer, struct wm_wire_line *l)
{
    struct parcel_line line;

    if (peer->waiting == NULL || head_of(peer->waiting)->number != peer->next_in)
        return false;
    l->body = next_line(peer, &line);
    l->head = line.head;
    l->data = l->body + l->head.header_bytes;
    l->body_bytes = line.body_bytes;
    return true;
}

void wm_wire_parcel_take(struct wm_wire *w, struct wm_wire_peer *peer)
{
    struct wm_parcel *parcel = peer->waiting;
    struct parcel_line line;
    size_t end = (size_t)(next_line(peer, &line) - wm_parcel_body(parcel)) + line.body_bytes;

    peer->read_bytes = aligned(end);
    if (end < head_of(parcel)->bytes)
        return;
    peer->read_bytes = 0;
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

    while (w->gathering != NULL)
        flush(w, w->gathering);
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
    return w->parcels == NULL || (w->gathering == NULL && wm_parcels_idle(w->parcels));
}
