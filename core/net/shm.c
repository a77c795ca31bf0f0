/* The net over memory that a node's ranks share: matching, small messages, queues. */
#include "core/net/net.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/net/shm_state.h"
#include "core/node/memory.h"

/* Lines of a peer that are handled before the others are looked at. Who does not wait looks again while something
 * moves, which may be followed by more: a peer that shares the processor comes back only when all others have had it.
 */
enum { LINES_A_TURN = 16, LOOKS = 16, CHUNK_BYTES = 32 << 10, SMALLEST_CHUNK_BYTES = 4 << 10 };

/* The part of the node's memory that is the net's. */
enum { NET_KEY = 0 };

static struct wm_shm_peer *peer_of(struct wm_shm_net *n, const struct wm_message *m)
{
    return &n->peers[n->node->local[m->peer]];
}

/* Predefined and without gaps: what counts is bytes. Handles of such types never come to mean others. */
static bool is_plain(struct wm_shm_net *n, MPI_Datatype type)
{
    struct wm_geometry geometry;

    if (type == n->plain)
        return true;
    if (wm_geometry_read(&geometry, type) != MPI_SUCCESS || !geometry.packed)
        return false;
    n->plain = type;
    return true;
}

static size_t eager_bytes(const struct wm_message *m)
{
    size_t bytes =
        m->transport != NULL && m->transport->eager_bytes > 0 ? m->transport->eager_bytes : WM_SHM_EAGER_BYTES;

    return bytes > WM_RING_EAGER_BYTES    ? WM_RING_EAGER_BYTES
           : bytes < WM_RING_INLINE_BYTES ? WM_RING_INLINE_BYTES
                                          : bytes;
}

/* So small that at least some chunks of a message are under way at once. */
static size_t chunk_bytes(const struct wm_message *m)
{
    size_t bytes = m->transport != NULL && m->transport->chunk_bytes > 0 ? m->transport->chunk_bytes : CHUNK_BYTES;
    size_t part = m->bytes / WM_SHM_CHUNKS < SMALLEST_CHUNK_BYTES ? SMALLEST_CHUNK_BYTES : m->bytes / WM_SHM_CHUNKS;

    bytes = bytes < part ? bytes : part;
    return bytes < WM_SHM_CHUNK_BYTES ? bytes : WM_SHM_CHUNK_BYTES;
}

static bool wants_single(const struct wm_message *m)
{
    switch (m->transport != NULL ? m->transport->copy : WM_COPY_AUTO) {
    case WM_COPY_SINGLE:
        return true; /* whoever may not read will say so */
    case WM_COPY_DOUBLE:
        return false;
    default:
        return m->bytes >= wm_node_single_copy_bytes();
    }
}

/* The data of a datatype with gaps, in one piece. */
static int pack(struct wm_shm_record *r, const struct wm_message *m)
{
    struct wm_geometry geometry;
    int rc = wm_geometry_read(&geometry, m->type);

    if (rc != MPI_SUCCESS || m->bytes == 0)
        return rc;
    r->data = r->packed = wm_allocate(m->bytes, "a message");
    return wm_geometry_pack(&geometry, m->address, m->count, r->packed);
}

static int net_send(struct wm_net *net, const struct wm_message *m, struct wm_ticket ticket, bool *done)
{
    struct wm_shm_net *n = (struct wm_shm_net *)net;
    struct wm_shm_peer *p = peer_of(n, m);
    bool plain = m->bytes == 0 || is_plain(n, m->type), large = m->bytes > eager_bytes(m);
    struct wm_shm_record *r;
    int rc;

    if (plain && !large && p->queue.first == NULL && wm_shm_write_eager(&p->out, m->tag, m->address, m->bytes)) {
        *done = true;
        return MPI_SUCCESS;
    }
    *done = false;
    r = wm_shm_record_new(n, p, m, ticket);
    if (!plain && (rc = pack(r, m)) != MPI_SUCCESS) {
        wm_shm_retire(n, p, r);
        return rc;
    }
    r->kind = large ? WM_SHM_LARGE : WM_SHM_EAGER;
    r->chunk_bytes = chunk_bytes(m);
    r->single = large && wants_single(m);
    wm_shm_enqueue(n, p, r);
    return MPI_SUCCESS;
}

static const char *data_of(const struct wm_shm_peer *p, const struct wm_ring_line *line)
{
    return line->label.kind == WM_SHM_INLINE ? line->data.bytes : p->in.ring->payload + line->data.words[0];
}

/* A receive meets the line of its message, whose data, if it is here, is at `data`. */
static void meet(struct wm_shm_net *n, struct wm_shm_peer *p, struct wm_shm_record *r, const struct wm_ring_line *line,
                 const char *data)
{
    if (line->label.kind == WM_SHM_LARGE) {
        wm_shm_meet(n, p, r, line);
        return;
    }
    if (line->label.bytes > r->bytes)
        r->ticket.error = MPI_ERR_TRUNCATE;
    else
        r->bytes = line->label.bytes;
    if (r->type != MPI_DATATYPE_NULL && r->bytes > 0)
        r->data = r->packed = wm_allocate(r->bytes, "a message");
    if (r->bytes > 0)
        memcpy(r->data, data, r->bytes);
    wm_shm_received(n, p, r);
}

/* Take it out of the posted receives. */
static struct wm_shm_record *find_posted(struct wm_shm_peer *p, int tag)
{
    for (struct wm_shm_record **link = &p->posted.first; *link != NULL; link = &(*link)->next) {
        struct wm_shm_record *r = *link;

        if (r->tag != tag)
            continue;
        if ((*link = r->next) == NULL)
            p->posted.end = link;
        return r;
    }
    return NULL;
}

/* Keep a message until it is received. Without memory it stays in the ring. */
static bool keep(struct wm_shm_peer *p, const struct wm_ring_line *line)
{
    struct wm_shm_unexpected *u = malloc(sizeof *u + line->label.bytes);

    if (u == NULL)
        return false;
    u->next = NULL;
    u->line.label = line->label;
    u->line.data = line->data;
    if (line->label.kind != WM_SHM_LARGE && line->label.bytes > 0)
        memcpy(u->payload, data_of(p, line), line->label.bytes);
    *p->unexpected_end = u;
    p->unexpected_end = &u->next;
    return true;
}

static bool handle_message(struct wm_shm_net *n, struct wm_shm_peer *p, const struct wm_ring_line *line)
{
    struct wm_shm_record *r = find_posted(p, line->label.tag);

    if (r == NULL)
        return keep(p, line);
    meet(n, p, r, line, data_of(p, line));
    return true;
}

static bool handle(struct wm_shm_net *n, struct wm_shm_peer *p, const struct wm_ring_line *line)
{
    switch (line->label.kind) {
    case WM_SHM_GRANT:
        wm_shm_granted(n, p, line);
        return true;
    case WM_SHM_ACK:
        wm_shm_acknowledged(n, p, line);
        return true;
    case WM_SHM_CHUNK:
        wm_shm_take_chunk(n, p, line);
        return true;
    default:
        return handle_message(n, p, line);
    }
}

static struct wm_shm_unexpected *find_unexpected(struct wm_shm_peer *p, int tag)
{
    for (struct wm_shm_unexpected **link = &p->unexpected; *link != NULL; link = &(*link)->next) {
        struct wm_shm_unexpected *u = *link;

        if (u->line.label.tag != tag)
            continue;
        if ((*link = u->next) == NULL)
            p->unexpected_end = link;
        return u;
    }
    return NULL;
}

/* The line that comes next is the message, no other receive is before it, and it fits. */
static bool receive_at_once(struct wm_shm_peer *p, const struct wm_message *m)
{
    const struct wm_ring_line *line = p->posted.first == NULL ? wm_ring_look(&p->in) : NULL;

    if (line == NULL || line->label.tag != m->tag || line->label.kind > WM_SHM_EAGER || line->label.bytes > m->bytes)
        return false;
    if (line->label.bytes > 0)
        memcpy(m->address, data_of(p, line), line->label.bytes);
    wm_ring_take(&p->in);
    return true;
}

static int net_receive(struct wm_net *net, const struct wm_message *m, struct wm_ticket ticket, bool *done)
{
    struct wm_shm_net *n = (struct wm_shm_net *)net;
    struct wm_shm_peer *p = peer_of(n, m);
    struct wm_shm_unexpected *u = p->unexpected != NULL ? find_unexpected(p, m->tag) : NULL;
    bool plain = m->bytes == 0 || is_plain(n, m->type);
    struct wm_shm_record *r;

    *done = u == NULL && plain && receive_at_once(p, m);
    if (*done)
        return MPI_SUCCESS;
    r = wm_shm_record_new(n, p, m, ticket);
    if (!plain) {
        r->type = m->type;
        r->address = m->address;
    }
    if (u != NULL)
        meet(n, p, r, &u->line, u->line.label.kind == WM_SHM_INLINE ? u->line.data.bytes : u->payload);
    else
        wm_shm_append(&p->posted, r);
    free(u);
    return MPI_SUCCESS;
}

/* True: something went on. */
static bool poll(struct wm_shm_net *n, struct wm_shm_peer *p)
{
    const struct wm_ring_line *line;
    bool moved = p->queue.first != NULL && wm_shm_flush(n, p);

    if (p->streams.first != NULL)
        moved |= wm_shm_pass_chunk(n, p);
    for (int i = 0; i < LINES_A_TURN && p->pending > 0 && (line = wm_ring_look(&p->in)) != NULL; i++) {
        bool chunk = line->label.kind == WM_SHM_CHUNK;

        if (!handle(n, p, line))
            return moved;
        wm_ring_take(&p->in);
        moved = true;
        if (chunk && p->streams.first != NULL)
            break;
    }
    return moved;
}

static bool poll_all(struct wm_shm_net *n)
{
    bool moved = false;

    for (int i = 0; i < n->polled_count;) {
        struct wm_shm_peer *p = &n->peers[n->polled[i]];

        if (p->pending > 0)
            moved |= poll(n, p);
        if (p->pending > 0) {
            i++;
        } else {
            p->listed = false;
            n->polled[i] = n->polled[--n->polled_count];
        }
    }
    return moved;
}

static int collect(struct wm_shm_net *n, struct wm_ticket *done, int room)
{
    int count = n->complete < room ? n->complete : room;

    for (int i = 0; i < count; i++) {
        done[i] = n->tickets[n->first];
        n->first = (n->first + 1) % n->room;
    }
    n->complete -= count;
    return count;
}

static int net_progress(struct wm_net *net, bool wait, struct wm_ticket *done, int room, int *count)
{
    struct wm_shm_net *n = (struct wm_shm_net *)net;

    *count = 0;
    for (unsigned turn = 0; n->pending + n->complete > 0; turn++) {
        bool moved = n->pending > 0 && poll_all(n);

        if (n->complete > 0) {
            *count = collect(n, done, room);
            break;
        }
        if (!wait && (!moved || turn == LOOKS))
            break;
        if (!moved)
            wm_node_wait(n->node->crowded, turn);
        else if (wait)
            turn = 0; /* there may be more at once */
    }
    return MPI_SUCCESS;
}

static bool net_busy(const struct wm_net *net)
{
    const struct wm_shm_net *n = (const struct wm_shm_net *)net;

    return n->pending + n->complete > 0;
}

/* The pages of the pair's first lines come with a look at them. */
static void net_expect(struct wm_net *net, int peer)
{
    struct wm_shm_net *n = (struct wm_shm_net *)net;
    struct wm_shm_peer *p = &n->peers[n->node->local[peer]];

    (void)wm_ring_look(&p->in);
    wm_ring_refresh(&p->out);
}

/* Nothing is moved unless it is asked to progress. */
static void net_abandon(struct wm_net *net)
{
    (void)net;
}

static void net_free(struct wm_net *net)
{
    struct wm_shm_net *n = (struct wm_shm_net *)net;

    for (int i = 0; i < n->node->size; i++)
        for (struct wm_shm_unexpected *u = n->peers[i].unexpected, *next; u != NULL; u = next) {
            next = u->next;
            free(u);
        }
    for (struct wm_shm_record *r = n->idle, *next; r != NULL; r = next) {
        next = r->next;
        free(r);
    }
    free(n->peers);
    free(n->polled);
    free(n->tickets);
    free(n);
}

static const struct wm_net_class net_shm_class = {
    .name = "shm",
    .send = net_send,
    .receive = net_receive,
    .progress = net_progress,
    .busy = net_busy,
    .expect = net_expect,
    .abandon = net_abandon,
    .free = net_free,
};

static void open_peer(struct wm_shm_net *n, struct wm_ring *rings, struct wm_shm_chunk *pools, int peer)
{
    struct wm_shm_peer *p = &n->peers[peer];
    int size = n->node->size, self = n->node->self;

    p->in.ring = &rings[peer * size + self];
    p->out.ring = &rings[self * size + peer];
    p->pool = &pools[peer * WM_SHM_CHUNKS];
    p->posted.end = &p->posted.first;
    p->queue.end = &p->queue.first;
    p->streams.end = &p->streams.first;
    p->unexpected_end = &p->unexpected;
}

/* Rings stand sender by sender, behind them the pools. */
static size_t rings_bytes(size_t size)
{
    return size * size * sizeof(struct wm_ring);
}

static size_t part_bytes(size_t size)
{
    return rings_bytes(size) + size * WM_SHM_CHUNKS * sizeof(struct wm_shm_chunk);
}

uint64_t wm_net_shm_bytes(int size)
{
    return wm_memory_piece_bytes(part_bytes((size_t)size));
}

struct wm_net *wm_net_shm_new(struct wm_node *node)
{
    size_t size = (size_t)node->size;
    char *part = wm_node_part(node, NET_KEY, part_bytes(size));
    struct wm_shm_chunk *pools = (struct wm_shm_chunk *)(part + rings_bytes(size));
    struct wm_shm_net *n;

    if (part == NULL)
        return NULL;
    n = wm_allocate_zeroed(sizeof *n, "a communicator"); /* the others have their net */
    n->peers = wm_allocate_zeroed(sizeof *n->peers * size, "a communicator");
    n->polled = wm_allocate_zeroed(sizeof *n->polled * size, "a communicator");
    n->net.class = &net_shm_class;
    n->node = node;
    n->plain = MPI_DATATYPE_NULL;
    n->pool = &pools[(size_t)node->self * WM_SHM_CHUNKS];
    for (int i = 0; i < node->size; i++)
        open_peer(n, (struct wm_ring *)part, pools, i);
    return &n->net;
}
