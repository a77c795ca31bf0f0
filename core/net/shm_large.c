/* The net over shared memory: large messages, in chunks or read from the sender's memory. */
#include "core/net/shm_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/node/single_copy.h"

static bool read_memory(long process, uint64_t address, char *target, size_t bytes)
{
    bool moved = wm_single_copy_read(process, address, target, bytes);

    if (!moved)
        wm_node_tell_single_copy(errno);
    return moved;
}

/* Where the bytes go: to the user, or to the heap if they have to be unpacked. */
static void prepare(struct wm_shm_record *r)
{
    if (r->type != MPI_DATATYPE_NULL && r->bytes > 0)
        r->data = r->packed = wm_allocate(r->bytes, "a message");
}

/* Of a message that does not fit, no more than what does is asked for. */
void wm_shm_meet(struct wm_shm_net *n, struct wm_shm_peer *p, struct wm_shm_record *r, const struct wm_ring_line *line)
{
    uint64_t bytes = line->data.words[0], address = line->data.words[2];
    long process = wm_node_process_id(n->node, (int)(p - n->peers));

    if (bytes > r->bytes)
        r->ticket.error = MPI_ERR_TRUNCATE;
    else
        r->bytes = bytes;
    r->other = line->data.words[1];
    prepare(r);
    r->kind = r->bytes == 0 ||
                      (address != 0 && r->type == MPI_DATATYPE_NULL && read_memory(process, address, r->data, r->bytes))
                  ? WM_SHM_ACK
                  : WM_SHM_GRANT;
    wm_shm_enqueue(n, p, r);
}

/* What has come of the message and what has gone to the peer are its records' addresses, as this process gave them out.
 */
static struct wm_shm_record *record_of(const struct wm_ring_line *line)
{
    return (struct wm_shm_record *)(uintptr_t)line->data.words[0];
}

void wm_shm_granted(struct wm_shm_net *n, struct wm_shm_peer *p, const struct wm_ring_line *line)
{
    struct wm_shm_record *r = record_of(line);

    (void)n;
    r->bytes = line->data.words[1];
    r->other = line->data.words[2];
    wm_shm_append(&p->streams, r);
}

void wm_shm_acknowledged(struct wm_shm_net *n, struct wm_shm_peer *p, const struct wm_ring_line *line)
{
    wm_shm_complete(n, p, record_of(line));
}

bool wm_shm_pass_chunk(struct wm_shm_net *n, struct wm_shm_peer *p)
{
    struct wm_shm_record *r = p->streams.first;
    size_t left = r->bytes - r->moved, bytes = left < r->chunk_bytes ? left : r->chunk_bytes;
    struct wm_shm_chunk *chunk = wm_shm_free_chunk(n->pool);
    struct wm_ring_line *line = chunk != NULL ? wm_ring_begin(&p->out) : NULL;

    if (line == NULL)
        return false;
    memcpy(chunk->data, r->data + r->moved, bytes);
    atomic_store_explicit(&chunk->busy, 1, memory_order_relaxed);
    line->label = (struct wm_ring_label){r->tag, WM_SHM_CHUNK, 0};
    line->data.words[0] = r->other;
    line->data.words[1] = bytes;
    line->data.words[2] = (uint64_t)(chunk - n->pool);
    wm_ring_write(&p->out, line);
    r->moved += bytes;
    if (r->moved == r->bytes)
        wm_shm_complete(n, p, wm_shm_pop(&p->streams));
    return true;
}

void wm_shm_take_chunk(struct wm_shm_net *n, struct wm_shm_peer *p, const struct wm_ring_line *line)
{
    struct wm_shm_record *r = record_of(line);
    struct wm_shm_chunk *chunk = &p->pool[line->data.words[2]];
    size_t bytes = line->data.words[1];

    memcpy(r->data + r->moved, chunk->data, bytes);
    atomic_store_explicit(&chunk->busy, 0, memory_order_release);
    r->moved += bytes;
    if (r->moved == r->bytes)
        wm_shm_received(n, p, r);
}

/* Of a message that ends within an element, the whole elements are received. */
void wm_shm_received(struct wm_shm_net *n, struct wm_shm_peer *p, struct wm_shm_record *r)
{
    struct wm_geometry geometry;
    int rc = MPI_SUCCESS;

    if (r->type != MPI_DATATYPE_NULL && r->bytes > 0 && (rc = wm_geometry_read(&geometry, r->type)) == MPI_SUCCESS)
        rc = wm_geometry_unpack(&geometry, r->packed, r->address, r->bytes / geometry.size);
    if (r->ticket.error == MPI_SUCCESS)
        r->ticket.error = rc;
    wm_shm_complete(n, p, r);
}
