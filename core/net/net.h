/* Nets: what carries messages. One net serves one communicator, behind a small vtable.
 *
 * The engine posts sends and receives, each with a ticket, and collects the tickets of what is complete. Ranks are
 * those of the communicator; a message is named by its tag, below 2^WM_NET_TAG_BITS. One thread at a time.
 *
 * The net over MPI has one communicator for the whole job, the shadow. Each rank gives each of its communicators a
 * number, and tells it to the communicator's other ranks: they write it into the tags of what they send to this rank.
 * So a number has to be unique at its own rank alone, and is free again once that rank waits for nothing more. */
#ifndef WM_NET_H
#define WM_NET_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/path/transport.h"

enum { WM_NET_TAG_BITS = 17 };

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
    /* There will be messages with this peer: do beforehand what the first of them would have to wait for. */
    void (*expect)(struct wm_net *net, int peer);
    /* Nothing more is waited for, and nothing more asked of the net but its end: leave buffers alone as far as that can
     * be done. */
    void (*abandon)(struct wm_net *net);
    void (*free)(struct wm_net *net);
};

struct wm_net {
    const struct wm_net_class *class;
};

/* Make the shadow. Collective over MPI_COMM_WORLD. Returns 0 or -WM_EMPI. */
int wm_net_start(void);
/* Free it. Collective over MPI_COMM_WORLD, once no net is left; does nothing where there is none. */
void wm_net_stop(void);

/* Take the lowest free number of this rank for a communicator, and with it those that are free behind it, *count in all
 * at most. Returns the first, and how many there are; -1 and 0: all that tags have room for are taken. Any thread. */
int wm_net_numbers_take(int *count);
void wm_net_number_give(int number);

/* The ranks of a communicator on the shadow, and their numbers for it, by rank. They live as long as the net. */
struct wm_net_peers {
    const int *world;
    const uint16_t *numbers;
    int self;
};

/* Point-to-point messages on the shadow. */
struct wm_net *wm_net_mpi_new(const struct wm_net_peers *peers);

struct wm_node;
/* The node's memory that a net of `size` ranks takes. */
uint64_t wm_net_shm_bytes(int size);
/* Messages through the memory that the ranks of a node share; `node` lives as long, and has no other. Peers that are
 * not on the node have no place here. NULL: there is no shared memory, or no more of it, the same at all ranks of the
 * node. */
struct wm_net *wm_net_shm_new(struct wm_node *node);

#endif
