/* Nets: what carries messages. One net serves one communicator, behind a small vtable.
 *
 * The engine posts sends and receives, each with a ticket, and collects the tickets of what is complete. Ranks are
 * those of the communicator; a message is named by its tag. One thread at a time. */
#ifndef WM_NET_H
#define WM_NET_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "core/path/transport.h"

/* What the engine wants back when a message is complete. */
struct wm_ticket {
    void *flight;
    int step;
    int error; /* of a complete message (it was truncated, say), else MPI_SUCCESS */
};

/* `count` elements of `type` at `address`; counts above INT_MAX are allowed. `bytes` of data in all. */
struct wm_message {
    void *address;
    size_t count, bytes;
    MPI_Datatype type;
    int peer, tag;
    const struct wm_transport *transport; /* NULL: the net's own */
};

struct wm_net;

struct wm_net_class {
    const char *name;
    /* Each returns MPI_SUCCESS or the MPI library's error code. *done: the message is complete already, and its ticket
     * will not be given back. */
    int (*send)(struct wm_net *net, const struct wm_message *message, struct wm_ticket ticket, bool *done);
    int (*receive)(struct wm_net *net, const struct wm_message *message, struct wm_ticket ticket, bool *done);
    /* Collect at most `room` tickets of complete messages into `done`, *count of them. `wait`: do not come back
     * without one, unless nothing is under way; the waiting yields the processor as the MPI library's own does.
     * A message that failed is complete, too, and its ticket tells. An error returned is the net's own, and its end. */
    int (*progress)(struct wm_net *net, bool wait, struct wm_ticket *done, int room, int *count);
    /* Are there tickets to come? */
    bool (*busy)(const struct wm_net *net);
    void (*free)(struct wm_net *net);
};

struct wm_net {
    const struct wm_net_class *class;
};

/* Point-to-point messages over `comm`, which the net alone uses and does not free. */
struct wm_net *wm_net_mpi_new(MPI_Comm comm);

struct wm_node;
/* Messages through the memory that the ranks of a node share; `node` lives as long, and has no other. Peers that are
 * not on the node have no place here. NULL: there is no shared memory, or no more of it, the same at all ranks of the
 * node. */
struct wm_net *wm_net_shm_new(struct wm_node *node);

#endif
