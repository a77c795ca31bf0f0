/* The wire: its opening, and which carrier a line takes. */
#include "core/message/wire.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/data/own_comm.h"
#include "core/error.h"
#include "core/message/wire_carriers.h"

enum { PART_KEY = 0 };

/* Rings stand sender by sender, behind them the pools. */
static void open_near(struct wm_wire *w)
{
    size_t size = (size_t)w->node->size, self = (size_t)w->node->self,
           rings_bytes = size * size * sizeof(struct wm_ring);
    char *part = wm_node_part(w->node, PART_KEY, rings_bytes + size * WM_SHM_CHUNKS * sizeof(struct wm_shm_chunk));
    struct wm_ring *rings = (struct wm_ring *)(void *)part;
    struct wm_shm_chunk *pools = (struct wm_shm_chunk *)(void *)(part + rings_bytes);

    if (part == NULL)
        return;
    w->pool = &pools[self * WM_SHM_CHUNKS];
    for (size_t i = 0; i < size; i++) {
        struct wm_wire_peer *peer = &w->peers[w->node->ranks[i]];

        if (i == self)
            continue;
        peer->near = true;
        peer->in.ring = &rings[i * size + self];
        peer->out.ring = &rings[self * size + i];
        peer->pool = &pools[i * WM_SHM_CHUNKS];
        peer->id = wm_node_process_id(w->node, (int)i);
        w->near[w->near_count++] = peer;
    }
}

int wm_wire_open(struct wm_wire *w, MPI_Comm comm, const struct wm_place *places, bool mpi_near, int parcels)
{
    *w = (struct wm_wire){0};
    if (wm_own_comm_make(comm, &w->comm) != MPI_SUCCESS)
        return -WM_EMPI;
    PMPI_Comm_rank(w->comm, &w->self);
    PMPI_Comm_size(w->comm, &w->processes);
    w->peer_count = mpi_near ? 2 * w->processes : w->processes;
    w->peers = wm_allocate_zeroed(sizeof *w->peers * (size_t)w->peer_count, "messages");
    w->near = wm_allocate_zeroed(sizeof(struct wm_wire_peer *) * (size_t)w->processes, "messages");
    for (int i = 0; i < w->peer_count; i++) {
        w->peers[i].number = i;
        w->peers[i].process = i % w->processes;
        w->peers[i].queue.end = &w->peers[i].queue.first;
        w->peers[i].streams.end = &w->peers[i].streams.first;
    }
    w->node = wm_node_new(places, w->processes, w->self);
    wm_node_share_area(w->node, w->comm);
    if (w->node->size > 1)
        open_near(w);
    if (w->near_count + 1 < w->processes || mpi_near)
        wm_wire_parcels_open(w, parcels);
    return 0;
}

void wm_wire_close(struct wm_wire *w)
{
    if (w->parcels != NULL)
        wm_wire_parcels_close(w);
    for (int i = 0; i < w->peer_count; i++) {
        free(w->peers[i].contexts);
        free(w->peers[i].parts);
    }
    wm_node_free(w->node);
    free(w->peers);
    free(w->near);
    PMPI_Comm_free(&w->comm);
}

bool wm_wire_write(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                   const struct wm_line_body *body)
{
    return peer->near ? wm_wire_ring_write(peer, head, body) : wm_wire_parcel_write(w, peer, head, body);
}

bool wm_wire_gather(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                    const struct wm_line_body *body, size_t most_bytes)
{
    return peer->near ? wm_wire_ring_write(peer, head, body) : wm_wire_parcel_gather(w, peer, head, body, most_bytes);
}

size_t wm_wire_write_data(struct wm_wire *w, struct wm_wire_peer *peer, const struct wm_line_head *head,
                          const char *data, size_t bytes)
{
    return peer->near ? wm_wire_ring_write_data(w, peer, head, data, bytes)
                      : wm_wire_parcel_write_data(w, peer, head, data, bytes);
}

bool wm_wire_look(struct wm_wire_peer *peer, struct wm_wire_line *line)
{
    return peer->near ? wm_wire_ring_look(peer, line) : wm_wire_parcel_look(peer, line);
}

void wm_wire_take(struct wm_wire *w, struct wm_wire_peer *peer)
{
    if (peer->near)
        wm_wire_ring_take(peer);
    else
        wm_wire_parcel_take(w, peer);
}
