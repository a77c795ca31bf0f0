/* The wire within a node: a line of a ring has the head, and 16 bytes of a body; of an eager message that wants no
 * answer, 32, since what the last 16 bytes of its head would say is known. A larger body stands in the ring's payload,
 * an eager message's without its header, if that finds room in the line: so its data begins a cache line. Other data
 * stands in a pool of the sender's. */
#include <stdatomic.h>
#include <string.h>
#include "core/message/wire_carriers.h"

enum form { INSIDE, SHORT_HEAD, PAYLOAD, BESIDE, CHUNK };
enum { SHORT_HEAD_BYTES = offsetof(struct wm_line_head, record) };
enum { CHUNK_BYTES = 32 << 10, SMALLEST_CHUNK_BYTES = 4 << 10 };

static enum form form_of(const struct wm_line_head *head, const struct wm_line_body *body)
{
    enum { INSIDE_BYTES = WM_RING_INLINE_BYTES - sizeof *head };
    size_t bytes = body->first_bytes + body->second_bytes;

    if (head->kind == WM_LINE_EAGER && head->record == 0 && bytes <= WM_RING_INLINE_BYTES - SHORT_HEAD_BYTES)
        return SHORT_HEAD;
    if (bytes <= INSIDE_BYTES)
        return INSIDE;
    return head->kind == WM_LINE_EAGER && body->first_bytes <= INSIDE_BYTES ? BESIDE : PAYLOAD;
}

static void write_label(struct wm_ring_line *line, enum form form, size_t bytes)
{
    line->label.kind = form;
    line->label.bytes = (uint32_t)bytes & 0xfffffff;
}

/* At most as many as stand in a line: by words that overlap. */
static inline void copy_few(char *to, const char *from, size_t bytes)
{
#define BY(n) memcpy(to, from, n), memcpy(to + bytes - (n), from + bytes - (n), n)
    if (bytes >= 16)
        BY(16);
    else if (bytes >= 8)
        BY(8);
    else if (bytes >= 4)
        BY(4);
    else
        for (size_t i = 0; i < bytes; i++)
            to[i] = from[i];
#undef BY
}

/* Field by field: as they were written, they can be read before they are in the cache. */
static inline void write_head(char *to, const struct wm_line_head *head, enum form form)
{
#define WRITE(field) memcpy(to + offsetof(struct wm_line_head, field), &head->field, sizeof head->field)
    WRITE(context);
    WRITE(sender);
    WRITE(receiver);
    WRITE(kind);
    WRITE(number);
    WRITE(header_bytes);
    if (form == SHORT_HEAD)
        return;
    WRITE(record);
    WRITE(bytes);
#undef WRITE
}

/* False: there is no room. */
static bool write_payload(struct wm_ring_writer *out, struct wm_ring_line *line, const struct wm_line_body *body,
                          size_t beside_bytes)
{
    char *payload = wm_ring_payload(out, body->first_bytes - beside_bytes + body->second_bytes);

    if (payload == NULL)
        return false;
    line->label.tag = (int32_t)wm_ring_offset(out, payload);
    memcpy(payload, body->first, body->first_bytes - beside_bytes);
    if (body->second_bytes > 0)
        memcpy(payload + body->first_bytes - beside_bytes, body->second, body->second_bytes);
    return true;
}

bool wm_wire_ring_write(struct wm_wire_peer *peer, const struct wm_line_head *head, const struct wm_line_body *body)
{
    struct wm_ring_line *line = wm_ring_begin(&peer->out);
    enum form form = form_of(head, body);
    size_t head_bytes = form == SHORT_HEAD ? SHORT_HEAD_BYTES : sizeof *head;
    char *to;

    if (line == NULL ||
        (form >= PAYLOAD && !write_payload(&peer->out, line, body, form == BESIDE ? body->first_bytes : 0)))
        return false;
    write_head(line->data.bytes, head, form);
    to = line->data.bytes + head_bytes;
    if (form != PAYLOAD)
        copy_few(to, body->first, body->first_bytes);
    if (form < PAYLOAD)
        copy_few(to + body->first_bytes, body->second, body->second_bytes);
    write_label(line, form, body->first_bytes + body->second_bytes);
    wm_ring_write(&peer->out, line);
    return true;
}

/* So small that at least some chunks of a message are under way at once. */
static size_t chunk_bytes(size_t bytes)
{
    size_t part = bytes / WM_SHM_CHUNKS < SMALLEST_CHUNK_BYTES ? SMALLEST_CHUNK_BYTES : bytes / WM_SHM_CHUNKS;

    part = part < CHUNK_BYTES ? part : CHUNK_BYTES;
    return part < bytes ? part : bytes;
}

size_t wm_wire_ring_write_data(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                               const char *data, size_t bytes)
{
    struct wm_shm_chunk *chunk = wm_shm_free_chunk(w->pool);
    struct wm_ring_line *line = chunk != NULL ? wm_ring_begin(&peer->out) : NULL;

    if (line == NULL)
        return 0;
    bytes = chunk_bytes(bytes);
    memcpy(chunk->data, data, bytes);
    atomic_store_explicit(&chunk->busy, 1, memory_order_relaxed);
    memcpy(line->data.bytes, head, sizeof *head);
    line->label.tag = (int32_t)(chunk - w->pool);
    write_label(line, CHUNK, bytes);
    wm_ring_write(&peer->out, line);
    return bytes;
}

static void look_short(const struct wm_ring_line *line, struct wm_wire_line *l)
{
    memcpy(&l->head, line->data.bytes, SHORT_HEAD_BYTES);
    l->head.record = 0;
    l->head.bytes = l->body_bytes - l->head.header_bytes;
    l->body = line->data.bytes + SHORT_HEAD_BYTES;
    l->data = l->body + l->head.header_bytes;
}

static size_t payload_bytes(const struct wm_ring_line *line)
{
    struct wm_line_head head;

    memcpy(&head, line->data.bytes, sizeof head);
    return line->label.bytes - (line->label.kind == BESIDE ? head.header_bytes : 0);
}

bool wm_wire_ring_look(struct wm_wire_peer *peer, struct wm_wire_line *l)
{
    const struct wm_ring_line *line = wm_ring_look(&peer->in);
    const char *payload;

    if (line == NULL) {
        wm_ring_fetch(&peer->in);
        return false;
    }
    l->body_bytes = line->label.bytes;
    if (line->label.kind == SHORT_HEAD) {
        look_short(line, l);
        return true;
    }
    memcpy(&l->head, line->data.bytes, sizeof l->head);
    payload = peer->in.ring->payload + line->label.tag;
    l->body = line->label.kind == CHUNK     ? peer->pool[line->label.tag].data
              : line->label.kind == PAYLOAD ? payload
                                            : line->data.bytes + sizeof l->head;
    l->data = line->label.kind == BESIDE ? payload : l->body + l->head.header_bytes;
    return true;
}

void wm_wire_ring_take(struct wm_wire_peer *peer)
{
    const struct wm_ring_line *line = &peer->in.ring->lines[peer->in.next % WM_RING_LINES];

    if (line->label.kind == CHUNK)
        atomic_store_explicit(&peer->pool[line->label.tag].busy, 0, memory_order_release);
    else if (line->label.kind == BESIDE || line->label.kind == PAYLOAD)
        wm_ring_guess(&peer->in, (size_t)line->label.tag, payload_bytes(line));
    wm_ring_take(&peer->in);
}
