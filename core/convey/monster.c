/* Monsters: large items in pieces, straight from source to destination.
 *
 * A source has WM_MONSTERS_MAX slots. A monster's slot gives its tag, so that pieces of several monsters for one
 * destination cannot be mistaken for each other, in whatever order they move; the ticket names the slot. Of each, one
 * piece at a time is under way: at 256 MiB a piece nothing is to be gained from a second. Sends are synchronous, so a
 * slot is free when the destination has come to the ticket, and what waits there unread is bounded. */
#include "core/convey/monster.h"

#include <stdlib.h>
#include <string.h>

struct sending {
    char *copy; /* NULL: the slot is free */
    size_t bytes, at;
    int destination;
};

struct receiving {
    struct receiving *next;
    int source, slot;
    uint64_t number;
    bool there; /* all of it; it was asked for since */
    char *data;
    size_t bytes, at; /* at: the piece that is under way begins here */
    MPI_Request request;
};

struct wm_monsters {
    MPI_Comm comm;
    int first_tag, error, count; /* count: slots in use */
    size_t piece_bytes, limit_bytes;
    size_t sending_bytes, receiving_bytes, there_bytes; /* of copies; of what is not there yet; of what is */
    uint64_t sent;
    struct sending sending[WM_MONSTERS_MAX];
    MPI_Request requests[WM_MONSTERS_MAX];
    struct receiving *receiving; /* of a source one that is not there yet, at most */
};

/* ticket.number = monsters sent before × WM_MONSTERS_MAX + slot */
static int slot_of(const struct wm_ticket_item *ticket)
{
    return (int)(ticket->number % WM_MONSTERS_MAX);
}

static int piece_at(const struct wm_monsters *m, size_t bytes, size_t at)
{
    return (int)(bytes - at < m->piece_bytes ? bytes - at : m->piece_bytes);
}

struct wm_monsters *wm_monsters_new(MPI_Comm comm, int first_tag, size_t limit_bytes)
{
    struct wm_monsters *m = calloc(1, sizeof *m);

    if (m == NULL)
        return NULL;
    m->comm = comm;
    m->first_tag = first_tag;
    m->limit_bytes = limit_bytes;
    m->piece_bytes = WM_MONSTER_PIECE_BYTES;
    for (int slot = 0; slot < WM_MONSTERS_MAX; slot++)
        m->requests[slot] = MPI_REQUEST_NULL;
    return m;
}

void wm_monsters_cut(struct wm_monsters *m, size_t piece_bytes)
{
    m->piece_bytes = piece_bytes;
}

void wm_monsters_free(struct wm_monsters *m)
{
    if (m == NULL)
        return;
    while (m->receiving != NULL)
        wm_monster_drop(m, m->receiving->source, m->receiving->number);
    free(m);
}

/* ---- sending ---- */

static int note(struct wm_monsters *m, int rc)
{
    if (rc != MPI_SUCCESS)
        m->error = convey_error_MPI;
    return rc;
}

static void free_slot(struct wm_monsters *m, int slot)
{
    struct sending *s = &m->sending[slot];

    free(s->copy);
    m->sending_bytes -= s->bytes;
    *s = (struct sending){0};
    m->count--;
}

static void send_piece(struct wm_monsters *m, int slot)
{
    struct sending *s = &m->sending[slot];

    if (note(m, PMPI_Issend(s->copy + s->at, piece_at(m, s->bytes, s->at), MPI_BYTE, s->destination,
                            m->first_tag + slot, m->comm, &m->requests[slot])) != MPI_SUCCESS)
        free_slot(m, slot);
}

/* One goes whatever its size. */
static bool fits(const struct wm_monsters *m, size_t under_way, size_t bytes)
{
    return under_way == 0 || (under_way <= m->limit_bytes && bytes <= m->limit_bytes - under_way);
}

static int find_slot(const struct wm_monsters *m)
{
    int slot = 0;

    while (m->sending[slot].copy != NULL)
        slot++;
    return slot;
}

int wm_monster_send(struct wm_monsters *m, const void *item, size_t bytes, int destination,
                    struct wm_ticket_item *ticket)
{
    char *copy;
    int slot;

    if (m->error != 0)
        return m->error;
    if (m->count == WM_MONSTERS_MAX || !fits(m, m->sending_bytes, bytes))
        return 0;
    if ((copy = malloc(bytes > 0 ? bytes : 1)) == NULL)
        return convey_error_ALLOC;
    memcpy(copy, item, bytes);
    slot = find_slot(m);
    m->sending[slot] = (struct sending){.copy = copy, .bytes = bytes, .destination = destination};
    m->count++;
    m->sending_bytes += bytes;
    *ticket = (struct wm_ticket_item){.bytes = bytes, .number = m->sent++ * WM_MONSTERS_MAX + (uint64_t)slot};
    send_piece(m, slot);
    return m->error != 0 ? m->error : 1;
}

static void piece_sent(struct wm_monsters *m, int slot)
{
    struct sending *s = &m->sending[slot];

    s->at += (size_t)piece_at(m, s->bytes, s->at);
    if (s->at < s->bytes)
        send_piece(m, slot);
    else
        free_slot(m, slot);
}

bool wm_monsters_progress(struct wm_monsters *m)
{
    int slots[WM_MONSTERS_MAX], count = 0;

    if (m->count == 0)
        return false;
    if (note(m, PMPI_Testsome(WM_MONSTERS_MAX, m->requests, &count, slots, MPI_STATUSES_IGNORE)) != MPI_SUCCESS ||
        count == MPI_UNDEFINED)
        return false;
    for (int i = 0; i < count; i++)
        piece_sent(m, slots[i]);
    return count > 0;
}

bool wm_monsters_idle(const struct wm_monsters *m)
{
    return m->count == 0;
}

size_t wm_monsters_bytes(const struct wm_monsters *m)
{
    return m->sending_bytes + m->receiving_bytes + m->there_bytes;
}

/* ---- receiving ---- */

static struct receiving **find(struct wm_monsters *m, int source, uint64_t number)
{
    struct receiving **place = &m->receiving;

    while (*place != NULL && ((*place)->source != source || (*place)->number != number))
        place = &(*place)->next;
    return place;
}

static int receive_piece(struct wm_monsters *m, struct receiving *r)
{
    return note(m, PMPI_Irecv(r->data + r->at, piece_at(m, r->bytes, r->at), MPI_BYTE, r->source,
                              m->first_tag + r->slot, m->comm, &r->request));
}

static int begin(struct wm_monsters *m, int source, const struct wm_ticket_item *ticket)
{
    struct receiving *r = malloc(sizeof *r);
    char *data =
        aligned_alloc(CONVEY_MAX_ALIGN, ((size_t)ticket->bytes + CONVEY_MAX_ALIGN) & ~((size_t)CONVEY_MAX_ALIGN - 1));

    if (r == NULL || data == NULL) {
        free(r);
        free(data);
        return convey_error_ALLOC;
    }
    *r = (struct receiving){.next = m->receiving,
                            .source = source,
                            .slot = slot_of(ticket),
                            .number = ticket->number,
                            .data = data,
                            .bytes = ticket->bytes,
                            .request = MPI_REQUEST_NULL};
    m->receiving = r;
    m->receiving_bytes += r->bytes;
    return receive_piece(m, r) == MPI_SUCCESS ? 0 : convey_error_MPI;
}

/* Pieces that are there, and the next one. Afterwards the request is null if all are. */
static void go_on(struct wm_monsters *m, struct receiving *r)
{
    int done = 1;

    while (m->error == 0 && r->request != MPI_REQUEST_NULL) {
        if (note(m, PMPI_Test(&r->request, &done, MPI_STATUS_IGNORE)) != MPI_SUCCESS || !done)
            return;
        r->at += (size_t)piece_at(m, r->bytes, r->at);
        if (r->at < r->bytes)
            receive_piece(m, r);
    }
}

static void arrive(struct wm_monsters *m, struct receiving *r)
{
    if (r->there)
        return;
    r->there = true;
    m->receiving_bytes -= r->bytes;
    m->there_bytes += r->bytes;
}

int wm_monster_receive(struct wm_monsters *m, int source, const struct wm_ticket_item *ticket, void **data)
{
    struct receiving *r = *find(m, source, ticket->number);
    int rc;

    if (m->error != 0)
        return m->error;
    if (r == NULL) {
        if (!fits(m, m->receiving_bytes, ticket->bytes))
            return 0;
        if ((rc = begin(m, source, ticket)) < 0)
            return rc;
        r = m->receiving;
    }
    go_on(m, r);
    if (m->error != 0)
        return m->error;
    if (r->request != MPI_REQUEST_NULL)
        return 0;
    arrive(m, r);
    *data = r->data;
    return 1;
}

void wm_monster_drop(struct wm_monsters *m, int source, uint64_t number)
{
    struct receiving **place = find(m, source, number), *r = *place;

    if (r == NULL)
        return;
    *place = r->next;
    if (r->there)
        m->there_bytes -= r->bytes;
    else
        m->receiving_bytes -= r->bytes;
    if (r->request == MPI_REQUEST_NULL)
        free(r->data); /* else an error stopped it, and MPI may still write there */
    free(r);
}
